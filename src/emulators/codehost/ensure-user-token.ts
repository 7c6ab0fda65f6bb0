import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the token of the machine's owner, and creates it at the first start. */
export async function ensureUserToken(dataDir: string): Promise<string> {
  const path = join(dataDir, 'token');
  const saved = await readFile(path, 'utf8').catch(() => '');
  if (/^ghp_\w+$/.test(saved.trim())) return saved.trim();
  const token = `ghp_${randomBytes(20).toString('hex').slice(0, 36)}`;
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600 });
  await rename(draft, path);
  return token;
}
