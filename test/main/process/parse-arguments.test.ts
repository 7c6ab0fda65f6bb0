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

  it('names the variable that holds a wrong port', () => {
    const parse = (): unknown => parseArguments([], {}, { PORT: 'http' });
    expect(parse).toThrow('PORT must be a number from 1 to 65000, not "http".');
    expect(parse).not.toThrow('--port');
  });

  it.each([
    [['--prot', '1'], "Unknown option '--prot'."],
    [['9000'], "Unexpected argument '9000'."],
    [['--port'], "Option '--port <value>' argument missing."],
    [['--port', '--help'], "Option '--port' argument is ambiguous."],
    [['--help=no'], "Option '--help' does not take an argument."],
  ])('lists the known options for %j, in whole sentences', (args, sentence) => {
    const parse = (): unknown => parseArguments(args, {}, {});
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(new UsageError(`${sentence} Known options: --port, --data-dir, --help.`));
  });

  it.each([
    ['npm run demo --port=9000', [], { npm_config_port: '9000' }, '--port', '--port <number>'],
    ['npm run demo --port 9000', ['9000'], { npm_config_port: 'true' }, '--port', '--port <number>'],
    [
      'npm run demo --data-dir=/a --yes',
      [],
      { npm_config_data_dir: '/a', npm_config_yes: 'true' },
      '--yes, --data-dir',
      '--yes --data-dir <folder>',
    ],
  ])('says how to pass the options of "%s", which npm takes', (_command, args, variables, taken, given) => {
    const parse = (): unknown => parseArguments(args, flags, { ...variables, npm_lifecycle_event: 'demo' });
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(
      new UsageError(`npm took ${taken} for itself. Put "--" before the options: npm run demo -- ${given}`),
    );
  });

  it('only hints at an option that is a setting of npm too, because a person may have it for every command', () => {
    const environment = { npm_config_yes: 'true', npm_lifecycle_event: 'demo' };
    expect(parseArguments([], flags, environment).npmHint).toBe(
      'npm took --yes for itself. Put "--" before the options: npm run demo -- --yes',
    );
    expect(parseArguments(['--yes'], flags, environment).npmHint).toBeUndefined();
    expect(parseArguments([], {}, environment).npmHint).toBeUndefined();
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
