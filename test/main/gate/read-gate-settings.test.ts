import { expect, it } from 'vitest';
import { readGateSettings } from '../../../src/main/gate/read-gate-settings.ts';

it('names every variable that is missing or wrong', () => {
  const wrong = {
    ZONE: 'shop-rc',
    ZONE_ADDRESS: 'shop-rc.example.com',
    APP_URL: 'https://shop',
    PUBLIC_URL: 'ftp://x',
  };
  expect(() => readGateSettings(wrong)).toThrow(/ZONE_ADDRESS: .*; APP_URL: .*; API_URL: .*; PUBLIC_URL: /);
});
