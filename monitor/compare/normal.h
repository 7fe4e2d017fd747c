/* The normal distribution, as tests and their levels need it. Pure. */
#ifndef UM_MONITOR_NORMAL_H
#define UM_MONITOR_NORMAL_H

/* The chance that a normal deviate is above z. */
double um_normal_above(double z);

/* The z, from 0 on, that is exceeded with a chance of at most 0.5. */
double um_normal_exceeded_with(double chance);

#endif
