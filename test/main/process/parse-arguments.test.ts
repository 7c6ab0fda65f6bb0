import { describe, expect, it } from 'vitest';
import { parseArguments, UsageError } from '../../../src/main/process/parse-arguments.ts';

describe('parseArguments', () => {
  it('prefers options to environment variables, and those to the defaults', () => {
    const environment = { PORT: '9000', DATA_DIR: '/data' };
    expect(parseArguments([], {}, {})).toMatchObject({ port: 8080, dataDir: '.service' });
    expect(parseArguments([], {}, environment)).toMatchObject({ port: 9000, dataDir: '/data' });
    expect(parseArguments(['--port', '9090'], {}, environment)).toMatchObject({ port: 9090, dataDir: '/data' });
  });

  it('returns the flags of the program', () => {
    const { values } = parseArguments(['--yes'], { yes: { type: 'boolean' }, repo: { type: 'string' } }, {});
    expect(values).toMatchObject({ yes: true });
    expect(values.repo).toBeUndefined();
  });

  it.each([['0'], ['65001'], ['http']])('rejects the port %s', (port) => {
    expect(() => parseArguments(['--port', port], {}, {})).toThrow(UsageError);
  });

  it('lists the known options for an unknown one', () => {
    expect(() => parseArguments(['--prot', '1'], {}, {})).toThrow(/Known options: --port, --data-dir\./);
  });
});
