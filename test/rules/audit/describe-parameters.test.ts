import { describe, expect, it } from 'vitest';
import { describeParameters } from '../../../src/rules/audit/describe-parameters.ts';

const describeBody = (body: unknown) => describeParameters({ path: {}, query: {}, body }).parameters;

describe('describeParameters', () => {
  it('lists the parameters of the path, the query and the body', () => {
    const request = { path: { org: 'acme' }, query: { dryRun: 'true' }, body: { spec: { zones: [{ name: 'rc' }] } } };
    expect(describeParameters(request)).toEqual({
      parameters: [
        { name: 'path.org', value: 'acme' },
        { name: 'query.dryRun', value: 'true' },
        { name: 'body.spec.zones[rc].name', value: 'rc' },
      ],
    });
  });

  it('is empty for a request without parameters', () => {
    expect(describeParameters({ path: {}, query: {}, body: undefined })).toEqual({ parameters: [] });
  });

  it.each([
    ['password', '[secret]'],
    ['currentPassword', '[secret]'],
    ['apiKey', '[secret]'],
    ['accessKeyId', '[secret]'],
    ['secretAccessKey', '[secret]'],
    ['license', '[secret]'],
    ['kubeconfig', '[secret]'],
    ['device_code', '[secret]'],
    ['state', '[secret]'],
    ['note', '4 characters'],
    ['text', '4 characters'],
    ['headSha', 'text'],
    ['label', 'text'],
    ['expiresAt', 'text'],
  ])('shows %s as %s', (name, value) => {
    expect(describeBody({ [name]: 'text' })).toEqual([{ name: `body.${name}`, value }]);
  });

  it('shows no part of a secret that is a list or an object', () => {
    const parameters = describeBody({ secrets: ['one', 'two'], credentials: { user: 'jo', word: 'hidden' } });
    expect(parameters.map(({ value }) => value)).toEqual(['[secret]', '[secret]', '[secret]', '[secret]']);
    expect(JSON.stringify(parameters)).not.toMatch(/one|two|hidden/);
  });

  it('bounds the number and the length of values', () => {
    const { parameters, omittedParameters } = describeParameters({
      path: {},
      query: {},
      body: { list: Array.from({ length: 200 }, () => 'x'.repeat(5_000)) },
    });
    expect([parameters.length, omittedParameters]).toEqual([100, 100]);
    expect(parameters[0]?.value).toBe(`${'x'.repeat(1_000)}… (5000 characters)`);
  });
});
