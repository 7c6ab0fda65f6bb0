import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from 'bcryptjs';
import { createPrivateFolder } from '../temporal/server-credentials.ts';

export type MetricsCredentials = {
  user: string;
  /** The file of `<user>:<password>`, which our own clients read. */
  basicAuthFile: string;
  passwordFile: string;
  /** The web configuration of Prometheus and Alertmanager, with the hash of the password. */
  webConfigFile: string;
  authorization: string;
};

const user = 'owner';
/** A password of 32 random bytes cannot be guessed, so its hash need not be slow. */
const hashRounds = 4;

/** Creates the password of this start. Without it, Prometheus and Alertmanager would obey every process of the machine. */
export async function createMetricsCredentials(folder: string): Promise<MetricsCredentials> {
  await createPrivateFolder(folder);
  const password = randomBytes(32).toString('base64url');
  const [basicAuthFile, passwordFile, webConfigFile] = ['basic-auth', 'password', 'web.yml'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const write = async (file: string, text: string): Promise<void> => await writeFile(file, text, { mode: 0o600 });
  await write(basicAuthFile, `${user}:${password}`);
  await write(passwordFile, password);
  await write(webConfigFile, JSON.stringify({ basic_auth_users: { [user]: await hash(password, hashRounds) } }));
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return { user, basicAuthFile, passwordFile, webConfigFile, authorization };
}
