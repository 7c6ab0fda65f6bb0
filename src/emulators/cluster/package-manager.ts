/** The program that installs the packages of a repo. */
export type PackageManager = { name: 'npm' | 'pnpm' | 'yarn'; lockName: string; version: string };

export const lockNames = ['npm-shrinkwrap.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];

const pnpmVersions: Record<string, string> = { '5': '7.33.7', '6': '8.15.9', '9': '9.15.9' };
const classicYarn = '1.22.22';
const modernYarn = '4.9.2';

/**
 * Chooses the manager whose lock file the repo has. The packageManager field of package.json decides between several, and
 * names the version; without it, the format of the lock file does.
 */
export function choosePackageManager(
  locks: ReadonlyMap<string, string>,
  declared: unknown,
): PackageManager | undefined {
  const [, declaredName, declaredVersion] =
    /^(npm|pnpm|yarn)@(\d+\.\d+\.\d+)/.exec(typeof declared === 'string' ? declared : '') ?? [];
  const present = lockNames.filter((name) => locks.has(name));
  const lockName = present.find((name) => toName(name) === declaredName) ?? present[0];
  if (lockName === undefined) return undefined;
  const name = toName(lockName);
  const version = name === declaredName ? declaredVersion : undefined;
  return { name, lockName, version: version ?? defaultVersion(name, locks.get(lockName) ?? '') };
}

function toName(lockName: string): PackageManager['name'] {
  if (lockName === 'pnpm-lock.yaml') return 'pnpm';
  return lockName === 'yarn.lock' ? 'yarn' : 'npm';
}

function defaultVersion(name: PackageManager['name'], lock: string): string {
  if (name === 'npm') return '';
  if (name === 'yarn') return lock.includes('__metadata:') ? modernYarn : classicYarn;
  const format = /^lockfileVersion: *'?(\d+)/m.exec(lock)?.[1] ?? '';
  return pnpmVersions[format] ?? '9.15.9';
}

const isClassic = (version: string): boolean => version.startsWith('1.');

/** The package of the registry that contains the manager. Yarn publishes its later versions under another name. */
export const managerPackage = ({ name, version }: PackageManager): string =>
  name === 'yarn' && !isClassic(version) ? '@yarnpkg/cli-dist' : name;

/** The command fails when the lock file does not match package.json, and runs no script of a package. */
export function installCommand({ name, version }: PackageManager, productionOnly: boolean): string {
  if (name === 'npm') return `npm ci --ignore-scripts --no-audit --no-fund${productionOnly ? ' --omit=dev' : ''}`;
  if (name === 'pnpm')
    return `pnpm install --frozen-lockfile --ignore-scripts --ignore-pnpmfile --config.node-linker=hoisted --config.package-import-method=copy --store-dir /service/npm-cache/pnpm --registry "$npm_config_registry"${productionOnly ? ' --prod' : ''}`;
  if (isClassic(version))
    return `yarn install --frozen-lockfile --ignore-scripts --non-interactive --no-default-rc --cache-folder /service/npm-cache/yarn --registry "$npm_config_registry"${productionOnly ? ' --production' : ''}`;
  return 'YARN_HTTP_PROXY=$HTTP_PROXY YARN_HTTPS_PROXY=$HTTPS_PROXY yarn install --immutable';
}

/** Settings of the manager that its command line cannot set. */
export const managerEnvironment = (registryUrl: string): Record<string, string> => ({
  npm_config_manage_package_manager_versions: 'false',
  YARN_NPM_REGISTRY_SERVER: registryUrl.replace(/\/$/, ''),
  YARN_NODE_LINKER: 'node-modules',
  YARN_ENABLE_SCRIPTS: 'false',
  YARN_ENABLE_TELEMETRY: 'false',
  YARN_ENABLE_GLOBAL_CACHE: 'false',
  YARN_CACHE_FOLDER: '/service/npm-cache/yarn-modern',
  YARN_IGNORE_PATH: 'true',
  YARN_UNSAFE_HTTP_WHITELIST: new URL(registryUrl).hostname,
});
