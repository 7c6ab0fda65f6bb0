import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  EmailAddress,
  NameLabel,
  OrgName,
  ProductName,
  RepoName,
  RequestTimestamp,
  Timestamp,
  ZoneName,
  nameText,
  titleText,
  trimmedText,
} from '../../src/rules/names.ts';

describe('NameLabel', () => {
  it.each(['a', 'shop', 'shop-2', 'a--b', 'a'.repeat(40)])('accepts %s', (name) => {
    expect(NameLabel.parse(name)).toBe(name);
  });

  it.each(['', '2shop', '-shop', 'shop-', 'Shop', 'sho.p', 'sho_p', 'shop\n', 'ä', 'a'.repeat(41)])(
    'refuses %j, which no host name can contain',
    (name) => {
      expect(NameLabel.safeParse(name).success).toBe(false);
    },
  );
});

describe('the names of what the web UI has pages for', () => {
  it('are none of those that its own pages have at the same path', () => {
    for (const name of ['api', 'device', 'help', 'settings', 'setup', 'signin', 'status'])
      expect(OrgName.safeParse(name).error?.issues[0]?.message).toContain('a page of the web UI');
    expect(OrgName.parse('new')).toBe('new');
    expect(ProductName.safeParse('new').success).toBe(false);
    expect(ZoneName.safeParse('new').success).toBe(false);
    expect(ZoneName.parse('new-rc')).toBe('new-rc');
  });
});

describe('the names that people see', () => {
  it.each(['Läden & Märkte', 'דוח', 'می\u200cخواهم', '👩\u200d💻 Team', '☁️'])('may be %s', (name) => {
    expect([nameText(40).parse(name), titleText(40).parse(` ${name} `)]).toEqual([name, name]);
  });

  it.each([
    'admin\u202e',
    '\u2067x',
    'ad\u200bmin',
    'ad\ufeffmin',
    '\u061cadmin',
    'a\u00addmin',
    'two\nlines',
    'two\u2028lines',
    'a\u0007bell',
    'a\u{e0041}',
  ])('are refused as %j, which looks like another one', (name) => {
    for (const schema of [nameText(40), titleText(40)])
      expect(schema.safeParse(name).error?.issues[0]?.message).toContain('reorder or hide text');
  });

  it('may be empty only where they are no title', () => {
    expect([nameText(2).safeParse('').success, titleText(2).safeParse(' ').success]).toEqual([true, false]);
    expect([nameText(2).safeParse('abc').success, titleText(2).safeParse('abc').success]).toEqual([false, false]);
  });
});

describe('RepoName', () => {
  it.each(['acme/shop', 'Acme-2/my.shop_1', 'a/.github', 'a/...', 'a/git'])('accepts %s', (name) => {
    expect(RepoName.parse(name)).toBe(name);
  });

  it.each([
    'shop',
    '/shop',
    'acme/',
    'acme/shop/more',
    '-acme/shop',
    'ac.me/shop',
    'acme/.',
    'acme/..',
    'acme/../other',
    'acme/shop.git',
    'acme/shop.GIT',
    'acme/sh op',
    'acme/shop?x',
    'acme/shop\n',
    `acme/${'a'.repeat(136)}`,
  ])('refuses %j', (name) => {
    expect(RepoName.safeParse(name).success).toBe(false);
  });
});

it('stores the time of a request in UTC', () => {
  expect(RequestTimestamp.parse('2026-01-01T02:00:00+02:00')).toBe('2026-01-01T00:00:00.000Z');
  expect(RequestTimestamp.parse('2026-01-01T00:00:00Z')).toBe('2026-01-01T00:00:00Z');
  expect(RequestTimestamp.safeParse('2026-01-01').success).toBe(false);
  expect(Timestamp.safeParse('2026-01-01T02:00:00+02:00').success).toBe(false);
});

describe('EmailAddress', () => {
  it.each(['ada@example.com', "o'hara+ci@mail.example.co", `${'a'.repeat(64)}@example.com`, 'a@b-c.dev'])(
    'accepts the e-mail address %s',
    (address) => {
      expect(EmailAddress.safeParse(address).success).toBe(true);
    },
  );

  it.each([
    'ada',
    'ada@localhost',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada lovelace@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${'a'.repeat(64)}.com`,
    `ada@${'a.'.repeat(130)}com`,
  ])('rejects the e-mail address %s', (address) => {
    expect(EmailAddress.safeParse(address).success).toBe(false);
  });
});

describe('trimmedText', () => {
  it.each(['', ' ', '\r', '\u00a0\u2028', 'abcdef'])('rejects %j', (text) => {
    const parsed = trimmedText(5).safeParse(text);
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([
      expect.stringMatching(/at least 1 character|<=5 characters/),
    ]);
  });

  it('removes space at the ends, and says to readers of the document that a blank text is none', () => {
    expect(trimmedText(5).parse('  abcde \n')).toBe('abcde');
    expect(z.toJSONSchema(trimmedText(5))).toMatchObject({ type: 'string', maxLength: 5, pattern: '\\S' });
  });
});
