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

const settings = {
  ZONE: 'shop-rc',
  ZONE_ADDRESS: 'https://shop-rc.example.com',
  APP_URL: 'http://shop',
  API_URL: 'http://api',
  PUBLIC_URL: 'https://example.com',
};

it('takes an empty variable for an absent one', () => {
  const empty = { PORT: '', HOST: '', SHUTDOWN_DELAY_SECONDS: '' };
  expect(readGateSettings({ ...settings, ...empty })).toEqual(readGateSettings(settings));
  expect(() => readGateSettings({ ...settings, ZONE: '' })).toThrow('ZONE: ');
});

it('says in words which numbers it accepts', () => {
  expect(() => readGateSettings({ ...settings, PORT: 'http', SHUTDOWN_DELAY_SECONDS: '301' })).toThrow(
    'PORT: must be a whole number from 0 to 65535; SHUTDOWN_DELAY_SECONDS: must be a whole number from 0 to 300.',
  );
});
