import { describe, expect, it } from 'vitest';
import { assignPlatformPorts } from '../../../src/main/platform/platform-ports.ts';
import { HelpRequest, parseArguments, UsageError } from '../../../src/main/process/parse-arguments.ts';

const flags = {
  yes: { type: 'boolean', help: 'approves everything' },
  repo: { type: 'string', value: 'path', help: 'the repository' },
} as const;

describe('parseArguments', () => {
  it('prefers options to environment variables, and those to the defaults', () => {
    const environment = { PORT: '9000', DATA_DIR: '/data' };
    expect(parseArguments([], {}, {})).toMatchObject({ port: 8080, dataDir: '.service' });
    expect(parseArguments([], {}, environment)).toMatchObject({ port: 9000, dataDir: '/data' });
    expect(parseArguments(['--port', '9090'], {}, environment)).toMatchObject({ port: 9090, dataDir: '/data' });
  });

  it('treats an empty environment variable as absent, as the configuration does', () => {
    const environment = { PORT: '', DATA_DIR: '' };
    expect(parseArguments([], {}, environment)).toMatchObject({ port: 8080, dataDir: '.service' });
  });

  it('rejects an empty folder, which would name the current one', () => {
    const parse = (): unknown => parseArguments(['--data-dir', ''], {}, {});
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow('--data-dir is empty: pass a folder.');
  });

  it('returns the flags of the program', () => {
    const { values } = parseArguments(['--yes'], flags, {});
    expect(values).toMatchObject({ yes: true });
    expect(values.repo).toBeUndefined();
  });

  it.each([['0'], ['65001'], ['http']])('rejects the port %s', (port) => {
    expect(() => parseArguments(['--port', port], {}, {})).toThrow(UsageError);
  });

  it('lists the known options for an unknown one', () => {
    expect(() => parseArguments(['--prot', '1'], {}, {})).toThrow(/Known options: --port, --data-dir, --help\./);
  });

  it('describes every option on --help', () => {
    const parse = (): unknown => parseArguments(['--help', '--yes'], flags, {});
    expect(parse).toThrow(HelpRequest);
    expect(parse).toThrow(/--yes +approves everything\n +--repo <path> +the repository\n +--port <number>/);
  });

  it('tells on --help how many ports a platform uses, so that two platforms can be kept apart', () => {
    const { api, ...others } = assignPlatformPorts(8080);
    expect(Object.values(others).toSorted()).toEqual(Array.from({ length: 9 }, (_, index) => api + 1 + index));
    expect(() => parseArguments(['--help'], {}, {})).toThrow('the next nine are used too');
  });
});
