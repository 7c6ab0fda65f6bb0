import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithKnot, getFreeUdpPort, startKnot, startResolver } from './dns-servers.ts';

/** Finds a port that a program has taken already, then free ones. */
async function findLostPort(): Promise<{ taken: number; findPort: (address: string) => Promise<number> }> {
  const other = createSocket('udp4').bind(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const taken = other.address().port;
  const lost = [taken];
  return { taken, findPort: async (address) => lost.shift() ?? (await getFreeUdpPort(address)) };
}

describeWithKnot('the DNS servers of the tests', () => {
  it('start on another port when a program has taken the chosen one', async () => {
    const first = await findLostPort();
    const knot = await startKnot({ zones: [{ name: 'test.', records: '' }] }, first.findPort);
    onTestFinished(knot.stop);
    expect(knot.port).not.toBe(first.taken);

    const second = await findLostPort();
    const resolver = await startResolver({ ...knot, zone: 'test.' }, second.findPort);
    onTestFinished(async () => await resolver?.stop());
    expect(resolver?.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(resolver?.address).not.toBe(`127.0.0.1:${second.taken}`);
  });
});
