/** The emulator's own paths begin with these names. */
const reservedOwnerNames = new Set(['api', 'apps', 'organizations', 'orgs', 'settings', 'login', 'users']);

export const isOwnerName = (name: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name) && !name.includes('..') && !reservedOwnerNames.has(name.toLowerCase());

export const isRepositoryName = (name: string): boolean =>
  /^[A-Za-z0-9._][A-Za-z0-9._-]{0,99}$/.test(name) &&
  !/^\.+$/.test(name) &&
  !name.includes('..') &&
  !/\.(git|lock)$/i.test(name);

/** Accepts git's ref names or parts of them. Revision syntax such as `~1` or `@{1}` is rejected. */
export const isRefName = (name: string): boolean =>
  name.length > 0 &&
  name.length <= 250 &&
  // eslint-disable-next-line no-control-regex
  !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|\/$|\.$|\.lock(\/|$)|(^|\/)\.|^@$/.test(name);

export const isSha = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

export const isPath = (path: string): boolean =>
  path.length > 0 &&
  !path.includes('\0') &&
  path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && name.toLowerCase() !== '.git');
