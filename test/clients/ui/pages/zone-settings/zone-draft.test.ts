import { describe, expect, it } from 'vitest';
import {
  applyDraft,
  formatSetting,
  listChanged,
  mergeDrafts,
  toDraft,
} from '../../../../../src/clients/ui/pages/zone-settings/zone-draft.ts';

const spec = { name: 'shop-prod', cluster: 'apart', replicas: 3, cpu: '500m', verify: { url: 'https://shop.test/ok' } };
const base = toDraft(spec);

describe('the draft of a zone', () => {
  it('changes only the settings that were typed, and keeps absent ones absent', () => {
    expect(applyDraft(spec, base)).toEqual(spec);
    const draft = { ...base, replicas: '4', verifyTimeout: '30' };
    expect(listChanged(base, draft)).toEqual(['replicas', 'verifyTimeout']);
    expect(applyDraft(spec, draft)).toEqual({
      ...spec,
      replicas: 4,
      verify: { url: 'https://shop.test/ok', timeoutSeconds: 30 },
    });
  });

  it('leaves out what was emptied, so that the default applies', () => {
    const next = applyDraft(spec, { ...base, cpu: ' ', replicas: '', verifyUrl: '' });
    expect(next).toEqual({ name: 'shop-prod', cluster: 'apart' });
  });

  it('keeps mine over theirs, and theirs where nothing was typed', () => {
    const theirs = { ...base, replicas: '5', cpu: '1' };
    expect(mergeDrafts(base, theirs, { ...base, replicas: '4', memory: '1Gi' })).toEqual({
      ...base,
      replicas: '4',
      cpu: '1',
      memory: '1Gi',
    });
  });

  it('reads as words', () => {
    const draft = {
      ...base,
      addresses: [
        { domain: 'shop.test', name: '' },
        { domain: 'shop.test', name: 'pay' },
      ],
    };
    expect(formatSetting(draft, 'addresses')).toBe('shop.test, pay.shop.test');
    expect(formatSetting(draft, 'access')).toBe('Public');
    expect(formatSetting(draft, 'memory')).toBe('the default');
  });
});
