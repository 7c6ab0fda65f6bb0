import { expect, it } from 'vitest';
import { createSeccompFilter } from '../../../src/integrations/sandbox/create-seccomp-filter.ts';

type Call = { audit: number; number: number; argument?: number };
const allowed = 'allowed';

/** Runs the filter as the kernel does, with the used subset of classic BPF. */
function runFilter(filter: Buffer, { audit, number, argument = 0 }: Call): string {
  const data: Record<number, number> = { 0: number, 4: audit, 16: argument };
  let loaded = 0;
  for (let at = 0; ; at += 1) {
    const [code, jt, jf, k] = [
      filter.readUInt16LE(8 * at),
      filter.readUInt8(8 * at + 2),
      filter.readUInt8(8 * at + 3),
      filter.readUInt32LE(8 * at + 4),
    ];
    if (code === 0x20) loaded = data[k] ?? Number.NaN;
    else if (code === 0x15) at += loaded === k ? jt : jf;
    else if (code === 0x35) at += loaded >= k ? jt : jf;
    else return k === 0x7fff0000 ? allowed : `errno ${k - 0x50000}`;
  }
}

it.each([
  ['x64', 0xc000003e, { read: 0, socket: 41, keyctl: 250, addKey: 248, quotactl: 179, execve: 59 }],
  ['arm64', 0xc00000b7, { read: 63, socket: 198, keyctl: 219, addKey: 217, quotactl: 60, execve: 221 }],
] as const)('blocks exactly the blocked calls on %s', (machine, audit, calls) => {
  const filter = createSeccompFilter(machine) ?? Buffer.alloc(0);
  const check = (number: number, argument?: number): string =>
    runFilter(filter, { audit, number, ...(argument !== undefined && { argument }) });
  expect([check(calls.read), check(calls.execve)]).toEqual([allowed, allowed]);
  for (const number of [calls.keyctl, calls.addKey, calls.quotactl, 425, 442]) expect(check(number)).toBe('errno 1');
  for (const family of [1, 2, 10, 16]) expect(check(calls.socket, family)).toBe(allowed);
  for (const family of [0, 17, 38, 40]) expect(check(calls.socket, family)).toBe('errno 97');
  expect(check(0x40000000)).toBe('errno 38');
  expect(runFilter(filter, { audit: 0x40000003, number: calls.read })).toBe('errno 38');
});

it('returns undefined for other architectures', () => {
  expect(createSeccompFilter('riscv64')).toBeUndefined();
});
