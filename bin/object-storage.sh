#!/usr/bin/env bash
# A throw-away S3 server for tests: a one-node Ceph of Debian (a monitor, an OSD in memory, radosgw) on loopback, in a temporary folder
# that is gone when this script ends.
#   bin/object-storage.sh                 prints its address and keys, and keeps it until Ctrl-C, or until its parent process is gone
#   bin/object-storage.sh <command …>     runs the command with PH_STORAGE_URL, PH_STORAGE_KEY and PH_STORAGE_SECRET set to it
# Needs no root to run. Debian: apt-get install --no-install-recommends radosgw ceph-mon ceph-osd
# It takes 130 MB of memory and twice the bytes that are stored, at most 4 GiB of them.
set -euo pipefail

fail() { echo "bin/object-storage.sh: $*" >&2; exit 1; }

for tool in ceph ceph-mon ceph-osd radosgw radosgw-admin monmaptool /usr/bin/python3; do
  command -v "$tool" >/dev/null || fail "$tool is missing. On Debian: apt-get install --no-install-recommends radosgw ceph-mon ceph-osd"
done
parent=$PPID
dir=$(mktemp -d "${TMPDIR:-/tmp}/ph-objects.XXXXXX")
conf=$dir/ceph.conf
bucket=props
key=testaccess
secret=testsecret

# A pid is ours only while its command line names our folder.
ours() { { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null | grep -qF -- "$conf"; }

# Nothing here is to survive, so nobody is asked politely.
child=
finish() {
  local code=$? name pid
  trap - EXIT INT TERM HUP
  if [ -n "$child" ]; then
    kill -TERM "$child" 2>/dev/null || true
    wait "$child" || true
  fi
  for name in rgw osd mon; do
    pid=$(cat "$dir/$name.pid" 2>/dev/null) || continue
    ! ours "$pid" || kill -KILL "$pid" 2>/dev/null || true
    while ours "$pid"; do sleep 0.05; done
  done
  rm -rf -- "$dir"
  exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Ports that are free now: one, one, and sixteen in a row for the OSD, below those the kernel hands out.
read -r port_rgw port_mon port_osd < <(/usr/bin/python3 - <<'PY'
import random, socket
def free(count):
    while True:
        first, held = random.randrange(20000, 32000), []
        try:
            for port in range(first, first + count):
                held.append(socket.socket())
                held[-1].bind(('127.0.0.1', port))
            return first
        except OSError:
            pass
        finally:
            for one in held: one.close()
print(free(1), free(1), free(16))
PY
)
fsid=$(cat /proc/sys/kernel/random/uuid)
osd=$(cat /proc/sys/kernel/random/uuid)

cat >"$conf" <<CONF
[global]
fsid = $fsid
mon host = [v2:127.0.0.1:$port_mon/0]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr1 = false
ms bind port min = $port_osd
ms bind port max = $((port_osd + 15))
auth cluster required = none
auth service required = none
auth client required = none
# radosgw alone wants "secure" by default, which there is not without keys.
ms mon client mode = crc secure
keyring = $dir/keyring
run dir = $dir
admin socket =
pid file =
crash dir = $dir
log file = $dir/\$name.log
log to stderr = false
err to stderr = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000

[mon]
mon data = $dir/mon
mon initial members = a
mon cluster log file = $dir/cluster.log
# One monitor need not collect what others say: pools are there at once, not a second later each.
paxos propose interval = 0.05
paxos min wait = 0.01
mon data avail crit = 1
mon data avail warn = 2

[osd]
osd data = $dir/osd
osd objectstore = memstore
memstore device bytes = 4294967296

[client]
rgw frontends = beast endpoint=127.0.0.1:$port_rgw
rgw data = $dir/rgw
rgw thread pool size = 32
rgw enable usage log = false
rgw enable lc threads = false
rgw run sync thread = false
rgw dynamic resharding = false
rgw override bucket index max shards = 1
rgw num rados handles = 1
# Bytes of what is deleted go at once, not after two hours: the store lies in memory.
rgw gc obj min wait = 1
rgw gc processor period = 5
CONF
: >"$dir/keyring"
mkdir "$dir/mon" "$dir/osd" "$dir/rgw"

daemon() { # name, command and arguments
  local name=$1
  shift
  setsid "$@" --conf "$conf" -f >"$dir/$name.out" 2>&1 </dev/null &
  echo $! >"$dir/$name.pid"
  disown
}

monmaptool --create --fsid "$fsid" --addv a "[v2:127.0.0.1:$port_mon]" --enable-all-features --set-min-mon-release 16 "$dir/monmap" >/dev/null
ceph-mon --conf "$conf" --id a --mkfs --monmap "$dir/monmap" >"$dir/mkfs.out" 2>&1
daemon mon ceph-mon --id a
ceph --conf "$conf" --connect-timeout 30 osd new "$osd" >/dev/null
ceph-osd --conf "$conf" --id 0 --mkfs --osd-uuid "$osd" >>"$dir/mkfs.out" 2>&1
daemon osd ceph-osd --id 0
timeout 60 radosgw-admin --conf "$conf" user create --uid test --display-name test --access-key "$key" --secret-key "$secret" --max-buckets 0 >"$dir/user.out" 2>&1
daemon rgw radosgw --name client.rgw

endpoint=http://127.0.0.1:$port_rgw
# Waits for the gateway and makes the bucket (a presigned PUT).
/usr/bin/python3 - "$endpoint" "$bucket" "$key" "$secret" <<'PY' || fail "radosgw does not answer at $endpoint: $(tail -n 5 "$dir"/rgw.out)"
import hashlib, hmac, sys, time, urllib.error, urllib.parse, urllib.request
endpoint, bucket, access, secret = sys.argv[1:]
urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))
now = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
scope = f'{now[:8]}/us-east-1/s3/aws4_request'
query = urllib.parse.urlencode({'X-Amz-Algorithm': 'AWS4-HMAC-SHA256', 'X-Amz-Credential': f'{access}/{scope}',
    'X-Amz-Date': now, 'X-Amz-Expires': '300', 'X-Amz-SignedHeaders': 'host'})
canonical = f"PUT\n/{bucket}\n{query}\nhost:{endpoint[7:]}\n\nhost\nUNSIGNED-PAYLOAD"
text = f'AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}'
derived = ('AWS4' + secret).encode()
for part in (now[:8], 'us-east-1', 's3', 'aws4_request', text):
    derived = hmac.digest(derived, part.encode(), 'sha256')
url = f'{endpoint}/{bucket}?{query}&X-Amz-Signature={derived.hex()}'
until = time.monotonic() + 60
while True:
    try:
        urllib.request.urlopen(urllib.request.Request(url, method='PUT'))
        break
    except urllib.error.HTTPError as error:
        sys.exit(f'{error.code} {error.read().decode()}')
    except OSError:
        if time.monotonic() > until: raise
        time.sleep(0.05)
PY

export PH_STORAGE_URL="s3://$bucket?endpoint=$endpoint" PH_STORAGE_KEY=$key PH_STORAGE_SECRET=$secret
if [ $# -gt 0 ]; then
  "$@" <&0 &
  child=$!
  status=0
  wait "$child" || status=$?
  child=
  exit "$status"
fi
printf '%s\n' "PH_STORAGE_URL=$PH_STORAGE_URL" "PH_STORAGE_KEY=$key" "PH_STORAGE_SECRET=$secret"
while [ -d "/proc/$parent" ] && ours "$(cat "$dir/rgw.pid")"; do sleep 0.5 & wait $! || true; done
