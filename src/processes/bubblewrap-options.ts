import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';

/** Isolates a program in new namespaces, without privileges, and with no variable but the given ones. */
export function isolationOptions(hostname: string, environment: Record<string, string>): string[] {
  return [
    '--unshare-all',
    '--unshare-user',
    '--cap-drop',
    'ALL',
    '--new-session',
    '--die-with-parent',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--hostname',
    hostname,
    '--clearenv',
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
}

/** Mounts the programs and libraries of the host read-only, and new `/proc` and `/dev`. */
export function systemFolderOptions(): string[] {
  const merged = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  return ['--ro-bind', '/usr', '/usr', ...merged, '--proc', '/proc', '--dev', '/dev'];
}

export const readOnlyIfExists = (path: string): string[] =>
  existsSync(path) ? ['--ro-bind', realpathSync(path), path] : [];
