import { expect, it } from 'vitest';
import type { ConfigMap } from '../../../src/kinds/kubernetes.ts';
import { readBackupSettings, toSettingsData } from '../../../src/rules/backups/settings.ts';

it('returns what was saved, or else the defaults', () => {
  expect(readBackupSettings(undefined)).toEqual({ keepLast: 14 });
  expect(readBackupSettings({ data: toSettingsData({ keepLast: 3 }) } as ConfigMap)).toEqual({ keepLast: 3 });
});
