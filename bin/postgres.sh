#!/usr/bin/env bash
# A throw-away PostgreSQL for tests: a fresh cluster in a temporary folder, gone when this script ends.
#   bin/postgres.sh npx vitest run test/server     runs the command with PH_TEST_DATABASE_URL set to it
#   bin/postgres.sh                                prints its address and keeps it until Ctrl-C; SIGUSR1 ends it without a word, as a
#                                                  power cut does, and starts it again: then it prints "again"
# PH_TEST_POSTGRES_SETTINGS: settings of it, separated by blanks, such as 'shared_buffers=2GB max_wal_size=8GB'.
# Needs the server programs of PostgreSQL 15 or newer (Debian: apt-get install postgresql). Started by root, it runs as a user of its own.
set -euo pipefail

fail() { echo "bin/postgres.sh: $*" >&2; exit 1; }

# The newest server programs: Debian keeps them out of PATH, one folder per major version.
programs() {
  local folder major
  for folder in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV) "$(dirname "$(readlink -f "$(command -v initdb || echo /none/initdb)")")"; do
    if [ ! -x "$folder/initdb" ] || [ ! -x "$folder/pg_ctl" ] || [ ! -x "$folder/postgres" ]; then continue; fi
    major=$("$folder/postgres" --version | sed -E 's/[^0-9]*([0-9]+).*/\1/')
    [ "$major" -ge 15 ] && echo "$folder" && return
  done
  fail 'found no server programs of PostgreSQL 15 or newer. On Debian: apt-get install postgresql'
}

bin=$(programs)
folder=$(mktemp -d "${TMPDIR:-/tmp}/ph-postgres.XXXXXX")
as=()
if [ "$(id -u)" = 0 ]; then # PostgreSQL refuses to run as root
  user=postgres
  id "$user" >/dev/null 2>&1 || { user=ph-postgres; id "$user" >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$user"; }
  chown "$user" "$folder"
  as=(runuser -u "$user" --)
fi
control() { (cd "$folder" && "${as[@]}" "$bin/pg_ctl" -D "$folder/data" -s "$@"); }

child=
finish() {
  trap - EXIT INT TERM HUP
  if [ -n "$child" ]; then
    kill -TERM "$child" 2>/dev/null || true
    wait "$child" || true
  fi
  [ ! -f "$folder/data/postmaster.pid" ] || control -m immediate -w stop || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

(cd "$folder" && "${as[@]}" "$bin/initdb" -D "$folder/data" -U postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 >"$folder/initdb.log" 2>&1) ||
  fail "initdb failed: $(cat "$folder/initdb.log")"
cat >>"$folder/data/postgresql.conf" <<EOF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$folder'
max_connections = 200
fsync = on
EOF
# shellcheck disable=SC2086 # a line for each
printf '%s\n' ${PH_TEST_POSTGRES_SETTINGS:-} >>"$folder/data/postgresql.conf"

# A port may be taken between the look and the start: try another.
start() {
  for _ in 1 2 3 4 5 6; do
    port=$((20000 + RANDOM % 12000))
    ! (: </dev/tcp/127.0.0.1/$port) 2>/dev/null || continue
    control -w -l "$folder/log" -o "-p $port" start 2>/dev/null && return
  done
  fail "PostgreSQL does not start: $(tail -n 20 "$folder/log" 2>&1)"
}
start
export PH_TEST_DATABASE_URL=postgres://postgres@127.0.0.1:$port/postgres

if [ $# -gt 0 ]; then
  "$@" <&0 &
  child=$!
  status=0
  wait "$child" || status=$?
  child=
  exit "$status"
fi
crash() {
  control -m immediate -w stop
  control -w -l "$folder/log" -o "-p $port" start
  echo again
}
trap crash USR1
echo "$PH_TEST_DATABASE_URL"
sleep infinity &
child=$!
# A signal ends the wait, not the sleep.
while kill -0 "$child" 2>/dev/null; do wait "$child" || true; done
