type LockEntry = { resolved?: unknown; link?: unknown };
export type Lock = {
  name: string;
  content: { lockfileVersion?: unknown; packages?: Record<string, LockEntry | null> };
};

/** npm replaces this host by the configured registry. */
const publicRegistry = 'https://registry.npmjs.org';

/** Returns why a lock file cannot be installed: every package must come from the registry or from a folder of the repo. */
export function lockViolation({ name, content }: Lock, registryUrl: string): string | undefined {
  const { lockfileVersion, packages } = content;
  if (typeof lockfileVersion !== 'number' || lockfileVersion < 2 || typeof packages !== 'object')
    return `${name} has an old format: run "npm install" with npm 7 or newer and commit the lock file.`;
  const origins = [new URL(registryUrl).origin, publicRegistry];
  for (const [path, entry] of Object.entries(packages)) {
    if (entry === null || typeof entry !== 'object' || !isFolderInside(path))
      return `${name} has an invalid entry "${path}": run "npm install" and commit the lock file.`;
    const { resolved, link } = entry;
    if (resolved === undefined || isAllowedSource(resolved, { isLink: link === true, origins })) continue;
    const packageName = path.split('node_modules/').at(-1);
    return `The package "${packageName}" in ${name} comes from ${JSON.stringify(resolved)}, and builds install only from the registry (${origins[0]}) and from folders of the repo. Depend on a published version of it, run "npm install" and commit the lock file.`;
  }
  return undefined;
}

/** Lists the folders of the repo that the lock file installs as packages, such as workspaces. */
export function listLockFolders({ content }: Lock): string[] {
  return Object.keys(content.packages ?? {}).filter((path) => path !== '' && !path.split('/').includes('node_modules'));
}

function isAllowedSource(resolved: unknown, { isLink, origins }: { isLink: boolean; origins: string[] }): boolean {
  if (typeof resolved !== 'string') return false;
  return isLink ? isFolderInside(resolved) : origins.includes(URL.parse(resolved)?.origin ?? '');
}

function isFolderInside(path: string): boolean {
  return !/^\/|[\\:\0]/.test(path) && !path.split('/').includes('..');
}
