import { parseArgs } from 'node:util';
import { createKeyPair, issueLicense } from './issue-license.ts';

const usage = `The vendor's tool for licenses.

  npm run --silent license -- keys
      prints a new key pair as JSON: keep "privateKey", set "publicKey" as LICENSE_PUBLIC_KEYS of the image
  npm run --silent license -- issue --id <id> --customer <name> --plan <plan> [--days <n>] [--orgs <n>] [--clusters <n>] [--skeleton]
      prints a license that is signed with LICENSE_PRIVATE_KEY; without --days it never expires
`;

const options = {
  id: { type: 'string' },
  customer: { type: 'string' },
  plan: { type: 'string' },
  days: { type: 'string' },
  orgs: { type: 'string' },
  clusters: { type: 'string' },
  skeleton: { type: 'boolean' },
} as const;

function run(args: string[]): string {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [command, ...rest] = positionals;
  if (rest.length > 0) throw new Error(usage);
  if (command === 'keys') return JSON.stringify(createKeyPair(), null, 2);
  if (command !== 'issue') throw new Error(usage);
  const { LICENSE_PRIVATE_KEY: privateKey } = process.env;
  if (!privateKey) throw new Error('Set LICENSE_PRIVATE_KEY to the private key of "npm run --silent license -- keys".');
  return issueLicense(values, { privateKey, now: new Date() });
}

try {
  process.stdout.write(`${run(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
