/** A script prints a line that begins with GOT, or the secret of the host, when the attack succeeds. */
export type Attempt = {
  name: string;
  script: string;
  /** Says why the attack cannot succeed in a test, even without the sandbox; others are shown to succeed. */
  refusedAnyway?: string;
};

const attempt = (name: string, script: string, refusedAnyway?: string): Attempt => ({
  name,
  script,
  ...(refusedAnyway !== undefined && { refusedAnyway }),
});
const byKernel = 'the kernel lets only root of the machine do this';

const tcp = (address: string, port: string): string =>
  `timeout 3 bash -c 'exec 3<>/dev/tcp/${address}/${port} && echo GOT && cat <&3'`;
const socket = (path: string): string =>
  `timeout 5 node -e "require('net').connect({ path: ${path} }).on('data', (d) => console.log('GOT ' + d)).on('error', (e) => console.log(e.code))"`;
const perl = (code: string): string => `perl -e '${code}'`;
/** Prints GOT with the result of a system call, or why it was refused. */
export const systemCall = (numbers: string): string =>
  perl(`$text = "pwned"; $r = syscall(${numbers}); print $r >= 0 ? "GOT $r\\n" : "refused $!\\n"`);
const [ptrace, pivotRoot, setHostName] = process.arch === 'arm64' ? [117, 41, 161] : [101, 155, 170];

export const readingAttempts: Attempt[] = [
  attempt('environments of other processes', 'cat /proc/*/environ | tr "\\0" "\\n" | grep CANARY'),
  attempt('the environment of a process of the host', 'cat /proc/$PID/environ /proc/$OURS/environ'),
  attempt(
    'the roots of other processes',
    'for p in /proc/[0-9]*; do cat $p/root$HOST/store.db $p/cwd/../other/code.js; done',
  ),
  attempt(
    'the memory of other processes',
    perl(
      'for $p (glob "/proc/[0-9]*") { open(M, "$p/maps"); for (<M>) { /^(\\w+)-(\\w+) rw.*stack/ or next; open(F, "$p/mem"); sysseek(F, hex $1, 0); sysread(F, $b, hex($2) - hex $1); print "GOT $1\\n" if $b =~ /CANARY=(\\S+?)\\0/ } }',
    ),
  ),
  attempt('the store', 'cat $HOST/store.db'),
  attempt('another run’s checkout', 'cat ../other/code.js /workspace/../other/code.js $HOST/checkouts/other/code.js'),
  attempt('the store through a link', 'ln -s $HOST/store.db link; cat link; ln -s / root; cat root$HOST/store.db'),
  attempt('the store through a hard link', 'ln $HOST/store.db hard; cat hard'),
  attempt('the code of the service', 'ls $PROJECT && echo GOT; cat $PROJECT/package.json && echo GOT'),
  attempt(
    'users and their passwords',
    'cat /etc/shadow && echo GOT; grep -v -e sandbox -e root -e "nobod[y]" -e agent: /etc/passwd && echo GOT',
  ),
  attempt('keys in homes', 'ls -A /root /home ~/.ssh ~/.aws ~/.kube ~/.config 2>/dev/null | grep . && echo GOT'),
  attempt(
    'the host’s temporary files',
    'find /tmp /var/tmp /dev/shm -mindepth 1 -maxdepth 1 2>/dev/null | grep . && echo GOT',
  ),
  attempt(
    'disks and memory as devices',
    'for d in sda vda nvme0n1 mem kmem port kmsg; do head -c 1 /dev/$d && echo GOT; done',
    byKernel,
  ),
  attempt('a disk through a new device file', 'mknod disk b 254 0 && head -c 1 disk && echo GOT', byKernel),
  attempt(
    'the kernel’s log and memory',
    'dmesg && echo GOT; head -c 1 /proc/kcore && echo GOT; head -c 1 /dev/kmsg && echo GOT',
    byKernel,
  ),
  attempt(
    'open files of the service',
    'ls -l /proc/self/fd /proc/1/fd | grep -e / | grep -v -e /dev/null -e /proc/ && echo GOT',
  ),
  attempt('control groups and system settings', 'ls /sys/fs/cgroup /sys/kernel && echo GOT'),
];

const noServer = 'a test has no server at this address';
export const connectingAttempts: Attempt[] = [
  attempt('the metadata address', tcp('169.254.169.254', '80'), noServer),
  attempt('a loopback service', tcp('127.0.0.1', '$PORT')),
  attempt(
    'the same service by other names',
    [tcp('localhost', '$PORT'), tcp('0.0.0.0', '$PORT'), tcp('::1', '$PORT')].join(';'),
  ),
  attempt('the host by its own address', tcp('$LAN', '$PORT')),
  attempt('the internet', `${tcp('1.1.1.1', '53')}; timeout 3 getent hosts example.com && echo GOT`, noServer),
  attempt('a socket of the host', socket(`process.env.HOST + '/zone.sock'`)),
  attempt('a socket of the host through a link', `ln -s $HOST/zone.sock s; ${socket(`process.cwd() + '/s'`)}`),
  attempt('an abstract socket', socket(`'\\\\0' + process.env.MARKER`)),
  attempt(
    'the sockets of daemons',
    'for s in /run/docker.sock /var/run/docker.sock /run/dbus; do ls $s && echo GOT; done; find / -xdev -type s 2>/dev/null | grep . && echo GOT',
  ),
  attempt(
    'a changed network interface',
    perl('socket(S, 2, 2, 0); $up = pack("a16s x22", "lo", 1); print "GOT\\n" if ioctl(S, 0x8914, $up)'),
  ),
];

export const changingAttempts: Attempt[] = [
  attempt(
    'files outside of the workspace',
    'for d in / /etc /usr /usr/bin /run /var /var/tmp /root /home /opt $HOST ..; do touch $d/$MARKER && echo GOT; done',
  ),
  attempt('shared temporary folders', 'touch /tmp/$MARKER /dev/shm/$MARKER'),
  attempt(
    'the store',
    'echo gone > $HOST/store.db; mkdir -p $HOST; echo gone > $HOST/store.db; ln -sf $HOST/store.db l; echo gone > l',
  ),
  attempt(
    'programs that run later',
    'cp /bin/true /opt/node/bin/node && echo GOT; cp /bin/true /usr/bin/git && echo GOT',
  ),
  attempt(
    'settings of the kernel',
    'cd /proc/sys/kernel; for f in core_pattern hostname modprobe; do v=$(cat $f); echo "$v" > $f && echo GOT $f; done; echo b > /proc/sysrq-trigger && echo GOT; echo 1 > /proc/self/oom_score_adj; echo -1000 > /proc/self/oom_score_adj && echo GOT',
    'it would restart this machine',
  ),
  attempt(
    'mounts',
    'mount -o remount,rw / && echo GOT; mount --bind . /etc && echo GOT; umount -l /workspace && echo GOT; mount -t proc p /tmp && echo GOT',
  ),
  attempt(
    'namespaces',
    'unshare -Ur true && echo GOT; unshare -m true && echo GOT; unshare -n true && echo GOT; nsenter -t 1 -m true && echo GOT',
  ),
  attempt(
    'the root folder',
    `${perl('print "GOT\\n" if chroot(".")')}; ${systemCall(`${pivotRoot}, $text, $text`)} | grep GOT`,
  ),
  attempt(
    'the user id',
    'cp /bin/bash b; chmod 6755 b; ./b -p -c "id -u" | grep -x 0 && echo GOT; su -c id && echo GOT; setpriv --reuid 0 true && echo GOT',
  ),
  attempt('a process of the host', 'kill -STOP $PID && echo GOT; kill -9 $PID && echo GOT; kill -9 $OURS && echo GOT'),
  attempt('all processes', 'kill -9 -1; echo still'),
  attempt('a process of the host, by tracing it', systemCall(`${ptrace}, 16, $ENV{PID} + 0, 0, 0`)),
  attempt('the name of the host', systemCall(`${setHostName}, $text, 5`)),
  attempt('the clock of the host', 'date -s 2001-01-01 && echo GOT', byKernel),
  attempt(
    'the input of a terminal',
    perl('open(T, "+</dev/tty") or exit; ioctl(T, 0x5412, "x") and print "GOT"'),
    'a test has no terminal',
  ),
];
