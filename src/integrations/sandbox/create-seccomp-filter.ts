import { arch } from 'node:process';

/** System calls that tools do not need and that sandbox escapes have used, as [x64, arm64] numbers. */
const blockedCalls: Record<string, [x64: number, arm64: number]> = {
  // Keyrings are shared by all processes with the same user id, across namespaces.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // These calls expose a large part of the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  syslog: [103, 116],
  // These calls change namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // These calls affect the whole machine.
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  acct: [163, 89],
  quotactl: [179, 60],
};

/** Allows local, IPv4, IPv6 and netlink sockets. Other families, such as vsock, ignore network namespaces. */
const socketFamilies = [1, 2, 10, 16];

const architectures = {
  x64: { audit: 0xc000003e, column: 0, socket: 41 },
  arm64: { audit: 0xc00000b7, column: 1, socket: 198 },
} as const;

const loadInstruction = (offset: number) => instruction(0x20, { k: offset });
const isEqual = (k: number, { jt = 0, jf = 0 }) => instruction(0x15, { k, jt, jf });
const isAtLeast = (k: number, { jt = 0, jf = 0 }) => instruction(0x35, { k, jt, jf });
const returnInstruction = (k: number) => instruction(0x06, { k });
const allowAction = 0x7fff0000;
const toErrnoAction = (errno: number): number => 0x00050000 | errno;
const [notPermitted, noSuchCall, noSuchFamily] = [1, 38, 97];

/** Builds the seccomp filter as classic BPF. Returns undefined for unsupported architectures. */
export function createSeccompFilter(machine: string = arch): Buffer | undefined {
  if (machine !== 'x64' && machine !== 'arm64') return undefined;
  const { audit, column, socket } = architectures[machine];
  const numbers = Object.values(blockedCalls).map((columns) => columns[column]);
  return Buffer.concat([
    loadInstruction(4),
    // Calls of another architecture, or of x32, have other numbers.
    isEqual(audit, { jt: 1 }),
    returnInstruction(toErrnoAction(noSuchCall)),
    loadInstruction(0),
    isAtLeast(0x40000000, { jf: 1 }),
    returnInstruction(toErrnoAction(noSuchCall)),
    isEqual(socket, { jf: socketFamilies.length + 2 }),
    loadInstruction(16),
    ...socketFamilies.map((family, index) =>
      // The jump skips the remaining families, their error and the blocked calls.
      isEqual(family, { jt: socketFamilies.length - index + numbers.length }),
    ),
    returnInstruction(toErrnoAction(noSuchFamily)),
    ...numbers.map((number, index) => isEqual(number, { jt: numbers.length - index })),
    returnInstruction(allowAction),
    returnInstruction(toErrnoAction(notPermitted)),
  ]);
}

function instruction(code: number, { k, jt = 0, jf = 0 }: { k: number; jt?: number; jf?: number }): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jt, 2);
  bytes.writeUInt8(jf, 3);
  bytes.writeUInt32LE(k, 4);
  return bytes;
}
