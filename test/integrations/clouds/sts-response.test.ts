import { expect, it } from 'vitest';
import { parseStsResponse } from '../../../src/integrations/clouds/sts-response.ts';

it('reads the first element of a name, without the space around its text', () => {
  const read = parseStsResponse('<R xmlns="https://sts.test"><Arn>\n  a &amp; b\n</Arn><Arn>c</Arn><Empty/></R>');
  expect(read?.('Arn')).toBe('a & b');
  expect(read?.('Empty')).toBe('');
  expect(read?.('Code')).toBeUndefined();
});

it.each(['', 'Welcome', '<R>', '<R></S>', '<!DOCTYPE R><R/>', '<R/><!-- a comment -->'])(
  'reads nothing from %j',
  (text) => {
    expect(parseStsResponse(text)).toBeUndefined();
  },
);
