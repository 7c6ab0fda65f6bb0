import { archiveLimits } from './archive-limits.ts';

// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f]/;
/** HFS+ ignores these characters, so a name with them may be another name there. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Returns why a path of an archive must not become a file of a repo, with the fix. */
export function archivePathViolation(path: string): string | undefined {
  if (controlCharacter.test(path)) return 'contains a control character: rename the file';
  if (path.includes('\\'))
    return 'contains a backslash: create the archive with a program that writes "/" between folders';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is an absolute path: use paths inside the archive';
  const names = path.replace(/\/$/, '').split('/');
  if (names.some((name) => name === '..' || name === '.')) return 'leads out of its folder: remove "." and ".."';
  if (names.some((name) => name === '')) return 'contains an empty name: remove the second "/"';
  if (names.some((name) => Buffer.byteLength(name) > archiveLimits.nameBytes))
    return `has a name of more than ${archiveLimits.nameBytes} bytes: shorten it`;
  if (Buffer.byteLength(path) > archiveLimits.pathBytes)
    return `has more than ${archiveLimits.pathBytes} bytes: shorten it`;
  if (names.some(isGitFolder)) return 'is part of a git folder: remove ".git" from the archive';
  if (names[0]?.toLowerCase() === '.service') return 'is in a folder of the service: remove ".service"';
  return undefined;
}

/** Other systems read `.GIT`, `.git.`, `GIT~1` and names with ignored characters as `.git`. */
function isGitFolder(name: string): boolean {
  const [plain = ''] = name.replaceAll(ignoredCharacters, '').toLowerCase().split(':', 1);
  return /^(?:\.git|git~\d+)[. ]*$/.test(plain);
}
