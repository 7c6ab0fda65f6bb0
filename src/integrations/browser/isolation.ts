import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { execPath } from 'node:process';
import { isolationOptions, readOnlyIfExists, systemFolderOptions } from '../../processes/bubblewrap-options.ts';

/** The profile folder as the browser sees it. */
export const profileInside = '/profile';

/** The port of the proxies. Nothing else listens in the network of the browser. */
export const proxyPort = 3128;

/** The file descriptors of the browser's commands and answers, of the listening process's messages, and of bwrap's info. */
export const pipeFds = { commands: 3, answers: 4, messages: 5, info: 6 } as const;

export type IsolatedCommand = {
  /** The host path of `bwrap`. */
  bubblewrap: string;
  /** The host path of the browser. */
  executable: string;
  /** The host folder that is mounted as `/profile`. */
  profile: string;
  args: string[];
};

/** Opens the port in the sandbox, and hands the socket to the service, which runs outside. */
const listenScript = `const server = require('net').createServer();
server.listen({ host: '0.0.0.0', port: ${proxyPort} }, () => process.send('listening', server, () => process.exit()));`;

/**
 * The listener and the browser start together. Each closes the pipes of the other; the subshell lets the first process of
 * the sandbox reap the listener.
 */
const startScript = `(NODE_CHANNEL_FD=${pipeFds.messages} exec /opt/node -e "$0" 3>&- 4>&- &)
exec "$@" 5>&-`;

/**
 * Builds the command of a browser that sees its own files, its profile and an otherwise empty network, and neither the
 * processes nor the files of the service. The browser adds its own sandbox for each page.
 */
export function isolatedCommand({ bubblewrap, executable, profile, args }: IsolatedCommand): [string, ...string[]] {
  const program = realpathSync(executable);
  const isInSystem = program.startsWith('/usr/');
  // The path on the host would show the folders above it.
  const programInside = isInSystem ? program : `/opt/browser/${basename(program)}`;
  return [
    bubblewrap,
    '--info-fd',
    String(pipeFds.info),
    // No variable of this process is passed on.
    ...isolationOptions('browser', {
      HOME: profileInside,
      TMPDIR: profileInside,
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
    }),
    ...systemFolderOptions(),
    '--tmpfs',
    '/tmp',
    ...['ld.so.cache', 'alternatives', 'fonts', 'chromium.d'].flatMap((name) => readOnlyIfExists(`/etc/${name}`)),
    ...(isInSystem ? [] : ['--ro-bind', dirname(program), dirname(programInside)]),
    '--ro-bind',
    realpathSync(execPath),
    '/opt/node',
    '--bind',
    profile,
    profileInside,
    '--remount-ro',
    '/',
    '--chdir',
    '/',
    '--',
    '/bin/sh',
    '-c',
    startScript,
    listenScript,
    programInside,
    ...args,
  ];
}
