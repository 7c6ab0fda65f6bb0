import { it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { operate, setUp, ship, walk } from './first-day.ts';
import { createMouse } from './hands.ts';

describeWithChromium('the first day of a new user', () => {
  it('leads from the printed link to production, and on to a setting, a rollback and a removed zone', async () => {
    await walk('mouse', createMouse, [setUp, ship, operate]);
  });
});
