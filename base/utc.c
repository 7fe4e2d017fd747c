#include "base/utc.h"

struct um_utc um_utc_at(int64_t utc_ms)
{
    int64_t seconds = utc_ms / 1000 - (utc_ms % 1000 < 0);
    int64_t days = seconds / 86400 - (seconds % 86400 < 0);
    int64_t of_day = seconds - days * 86400;
    int64_t shifted = days + 719468; /* since 0000-03-01 */
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * of_year + 2) / 153;
    int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;

    return (struct um_utc){
        .year = year_of_era + era * 400 + (month <= 2),
        .month = (int)month,
        .day = (int)(of_year - (153 * month_from_march + 2) / 5 + 1),
        .hour = (int)(of_day / 3600),
        .minute = (int)(of_day / 60 % 60),
        .second = (int)(of_day % 60),
    };
}
