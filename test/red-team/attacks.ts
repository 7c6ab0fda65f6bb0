import { describe, expect, inject, it } from 'vitest';
import { createWorld, type World } from './world.ts';

/** Both functions return true when the attacker got what they wanted. */
export type Attack = {
  name: string;
  attempt: (world: World) => Promise<boolean>;
  /** The same attack without its one defence, which shows that the attempt is not idle. */
  counter: (world: World) => Promise<boolean>;
};

/** Tests that every attack fails against the platform, and succeeds without its defence. */
export function testAttacks(area: string, attacks: readonly Attack[], { skip = false } = {}): void {
  const world = createWorld(inject('redTeam'));
  describe.skipIf(skip)(`attacks on ${area}`, () => {
    for (const { name, attempt, counter } of attacks) {
      it(`is refused: ${name}`, async () => {
        expect(await attempt(world)).toBe(false);
      });
      it(`succeeds without the defence: ${name}`, async () => {
        expect(await counter(world)).toBe(true);
      });
    }
  });
}
