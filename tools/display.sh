# shellcheck shell=bash
# Sourced by ./run: a screen and a Wine prefix of one's own, and their end.
#
#   um_ahead_start           what follows goes ahead of other programs, where that is allowed
#   um_display_start [own]   use the caller's screen where there is one; with `own`, never
#   um_wine_start            a private Wine prefix, cloned from a template that is made once; sets
#                            $um_fixed, which stands before a command that runs Wine's programs
#   um_ahead_run COMMAND...  a command ahead of other programs, until its end
#   um_display_stop          ends exactly what these started
#
# Each invocation has its own prefix, so that ending its wineserver ends nobody else's programs. The
# clone shares the Windows files with its template by hard links: 16 ms instead of 1.7 s and 700 MB.
# Needs: $build, the build folder; $um_wine_kind, where it is not the system's Wine that runs.

: "${build:?}"
um_session=""
um_display_pids=()
um_realtime=()
um_nice=0
um_fixed=()

# The X server and Wine's server serve every program of a scene and do little: at real-time priority
# nothing else holds them up. The programs themselves may spin, which at that priority would starve
# both servers, so they are only put ahead of others.
um_ahead_start() {
    if chrt -R -f 1 true 2>/dev/null && [ "$(nice -n -20 nice 2>/dev/null)" -lt "$(nice)" ]; then
        um_realtime=(chrt -R -f 1) um_nice=-20
        echo "priorities: real-time for Xvfb and Wine's server, nice $um_nice for what is tested"
    else
        echo "priorities: none are allowed here; other programs may hold up what is tested"
    fi
}

# um_session_of NICENESS COMMAND...: becomes the command, in a session of its own, so that Ctrl+C is
# for the program under test alone; should this shell be killed, the command goes too. The kernel
# shares the processors among sessions first, so each session has a niceness beside its programs'
# (sched(7), autogroup).
um_session_of() {
    # shellcheck disable=SC2016 # the inner shell's
    exec setsid setpriv --pdeathsig TERM env --default-signal=INT,QUIT bash -c '
        if [ "$0" != 0 ] && [ -e /proc/self/autogroup ]; then echo "$0" >/proc/self/autogroup; fi
        exec nice -n "$0" "$@"' "$@"
}

um_ahead_run() {
    local pid code=0
    um_session_of "$um_nice" "$@" &
    pid=$!
    um_display_pids+=("$pid")
    wait "$pid" || code=$?
    unset 'um_display_pids[-1]'
    return $code
}

# Wine's server creates and deletes the programs' files, and writes the registry each 30 s; all
# programs wait meanwhile, for 2 ms on a disk that is idle and for 15 ms on a busy one. So what is
# written is in memory, if there is a place for it.
um_session_dir() {
    local memory
    [ -z "$um_session" ] || return 0
    um_session=$build/session/$BASHPID # a lane of its own has its own
    mkdir -p "$um_session"
    memory=$(mktemp -d /dev/shm/uimon.XXXXXX 2>/dev/null) || memory=$um_session/written
    mkdir -p "$memory/tmp" "$memory/prefix"
    ln -s "$memory" "$um_session/memory"
    ln -s "$memory/tmp" "$um_session/tmp"
    ln -s "$memory/prefix" "$um_session/prefix"
}

# Without -noreset, the server refuses connections for a moment after its last client has left.
um_display_start() {
    if [ "${1-}" != own ] && [ -n "${DISPLAY-}" ] && xdotool getdisplaygeometry >/dev/null 2>&1; then
        return 0
    fi
    um_session_dir
    um_session_of 0 "${um_realtime[@]}" Xvfb -displayfd 3 -noreset -screen 0 1920x1080x24 \
        -nolisten tcp 3>"$um_session/display" >"$um_session/xvfb.log" 2>&1 </dev/null &
    um_display_pids+=($!)
    um_wait_for "Xvfb" 60 test -s "$um_session/display"
    DISPLAY=:$(cat "$um_session/display")
    export DISPLAY
    unset WAYLAND_DISPLAY XAUTHORITY
    XDG_CONFIG_HOME=$um_session um_session_of "$um_nice" openbox --sm-disable \
        --config-file /etc/xdg/openbox/rc.xml >"$um_session/openbox.log" 2>&1 </dev/null &
    um_display_pids+=($!)
    um_wait_for "openbox" 60 xdotool get_num_desktops || {
        tail "$um_session/openbox.log" "$um_session/xvfb.log" >&2
        return 1
    }
    um_session_of "$um_nice" xcompmgr >"$um_session/xcompmgr.log" 2>&1 </dev/null &
    um_display_pids+=($!)
}

# um_wait_for NAME SECONDS COMMAND...: until the command succeeds.
um_wait_for() {
    local name=$1 tries=$(($2 * 20))
    shift 2
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || {
            echo "run: $name does not start" >&2
            return 1
        }
        sleep 0.05
    done
}

um_wine_start() {
    local template=$build/wine-template${um_wine_kind-} version
    um_session_dir
    # A user's own Wine settings are neither used nor changed; no menu entries in the home folder.
    export WINEARCH=win64 WINEDEBUG=${WINEDEBUG--all}
    export WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe="
    export LC_ALL=${LC_ALL:-C.UTF-8}
    version=$(wine --version 2>/dev/null)
    [ -n "${um_wine_kind-}" ] || [ ! -x /usr/lib/wine/wine ] || version="$version, with 32 bits"
    (
        flock 9
        um_sweep
        [ "$(cat "$template/version" 2>/dev/null)" != "$version" ] || exit 0
        rm -rf "$template"
        mkdir -p "$template"
        WINEPREFIX=$template/prefix wineboot -i >"$build/log/wine-template.log" 2>&1 9>&- || exit 1
        WINEPREFIX=$template/prefix wineserver -w 9>&-
        echo "$version" >"$template/version"
    ) 9>"$template.lock" || {
        echo "run: Wine cannot make a prefix, see build/log/wine-template.log" >&2
        return 1
    }
    # Wine needs the page at 0x7ffe0000. Newer kernels put the heap of Debian's wine64 anywhere in
    # the gigabyte behind 0x7d000000, and one program in some thousands then ends at once with code 1
    # (virtual_alloc_first_teb, "failed to map the shared user data"). So addresses are not random.
    # shellcheck disable=SC2034 # used by ./run
    ! setarch -R true 2>/dev/null || um_fixed=(setarch -R)
    export WINEPREFIX=$um_session/prefix
    um_wine_prefix "$template/prefix"
    um_wine_server_start
}

# A prefix like the template's; its Windows files are linked, which needs the template's own disk.
um_wine_prefix() {
    local prefix
    prefix=$(readlink "$um_session/prefix")
    mkdir -p "$um_session/windows" "$prefix/drive_c"
    (
        cd "$1" || exit 1
        find . -mindepth 1 -maxdepth 1 ! -name drive_c -exec cp -a {} "$prefix/" \;
        find drive_c -mindepth 1 -maxdepth 1 ! -name windows -exec cp -a {} "$prefix/drive_c/" \;
        cp -al drive_c/windows/. "$um_session/windows/"
    )
    ln -s "$um_session/windows" "$prefix/drive_c/windows"
}

# The prefix's server, before the first program would start one at its own priority. It stays when no
# program is left, and so do Wine's services, which take a second to start.
um_wine_server_start() {
    um_session_of 0 "${um_realtime[@]}" wineserver --foreground --persistent \
        >"$um_session/wineserver.log" 2>&1 </dev/null &
    um_display_pids+=($!)
    um_wait_for "Wine's server" 60 test -S "/proc/$!/cwd/socket" # it works where its socket is
}

# What an invocation left behind that was killed before it could clean up.
um_sweep() {
    local dir
    for dir in "$build"/session/*; do
        [ -d "$dir" ] || continue
        ! kill -0 "${dir##*/}" 2>/dev/null || continue
        [ ! -d "$dir/prefix" ] || WINEPREFIX=$dir/prefix wineserver -k 9>&- 2>/dev/null
        um_session_remove "$dir"
    done
}

# Removes a session's folder, and the one in memory.
um_session_remove() {
    local memory
    memory=$(readlink "$1/memory" 2>/dev/null)
    rm -rf "$1"
    case $memory in /dev/shm/uimon.*) rm -rf "$memory" ;; esac
}

um_display_stop() {
    local i
    [ -n "$um_session" ] || return 0
    set +e
    if [ "${WINEPREFIX-}" = "$um_session/prefix" ] && [ -d "$WINEPREFIX" ]; then
        wineserver -k 2>/dev/null
    fi
    for ((i = ${#um_display_pids[@]} - 1; i >= 0; i--)); do
        kill "${um_display_pids[i]}" 2>/dev/null
        wait "${um_display_pids[i]}" 2>/dev/null
    done
    um_session_remove "$um_session"
    um_session="" um_display_pids=()
}
