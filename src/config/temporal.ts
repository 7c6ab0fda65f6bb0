import { z } from 'zod';
import { flagSchema, listSchema } from './schemas.ts';

const eachKey = 'each entry must be <id>:<32 bytes in base64>';

/** A value without any key is a mistake, because payloads would then be written in plaintext. */
const keyListSchema = z
  .string()
  .regex(/[^,\s]/, eachKey)
  .optional()
  .pipe(listSchema);

const encryptionKeysSchema = keyListSchema.transform((entries, context) =>
  entries.flatMap((entry) => {
    const [id = '', text = ''] = entry.split(':');
    const bytes = Buffer.from(text, 'base64');
    if (/^[\w.-]{1,64}$/.test(id) && bytes.length === 32) return [{ id, bytes }];
    // The message is logged, so it must not contain any part of the value.
    context.addIssue({ code: 'custom', message: eachKey });
    return [];
  }),
);

export const temporalVariables = {
  TEMPORAL_ADDRESS: z
    .string()
    .default('127.0.0.1:7233')
    .describe(
      'Address of the Temporal server. One beyond this machine requires encryption keys, and a client certificate or an API key.',
    ),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace of the workflows.'),
  TEMPORAL_TLS: flagSchema
    .optional()
    .describe('Connect to Temporal over TLS (default: true if a certificate or an API key is set).'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: z.string().optional().describe('Client certificate for mutual TLS (PEM).'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: z.string().optional().describe('Private key of the client certificate (PEM).'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: z.string().optional().describe('CA certificate (default: system CAs).'),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .optional()
    .describe('Server name in the certificate, if it differs from the address.'),
  TEMPORAL_API_KEY: z.string().optional().describe('API key of the Temporal server.'),
  TEMPORAL_ENCRYPTION_KEYS: encryptionKeysSchema.describe(
    'Encrypts workflow payloads: <id>:<32 bytes in base64>,… The first key encrypts, every key decrypts. Required with a Temporal server beyond this machine.',
  ),
};
type Variables = z.infer<z.ZodObject<typeof temporalVariables>>;

/** Paths of PEM files. */
type TlsConfig = {
  certificatePath: string | undefined;
  keyPath: string | undefined;
  caPath: string | undefined;
  serverName: string | undefined;
};

export type TemporalConfig = {
  address: string;
  namespace: string;
  tls: TlsConfig | undefined;
  apiKey: string | undefined;
  /** The first key encrypts and every key decrypts. Without keys, payloads are not encrypted. */
  encryptionKeys: readonly { id: string; bytes: Uint8Array }[];
};

export const toTemporalConfig = (env: Variables): TemporalConfig => ({
  address: env.TEMPORAL_ADDRESS,
  namespace: env.TEMPORAL_NAMESPACE,
  tls: toTlsConfig(env),
  apiKey: env.TEMPORAL_API_KEY,
  encryptionKeys: env.TEMPORAL_ENCRYPTION_KEYS,
});

function toTlsConfig(env: Variables): TlsConfig | undefined {
  const tls = {
    certificatePath: env.TEMPORAL_TLS_CLIENT_CERT_PATH,
    keyPath: env.TEMPORAL_TLS_CLIENT_KEY_PATH,
    caPath: env.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    serverName: env.TEMPORAL_TLS_SERVER_NAME,
  };
  // An API key is sent in plaintext only if TEMPORAL_TLS=false says so.
  const implied = env.TEMPORAL_API_KEY !== undefined || (tls.certificatePath ?? tls.caPath) !== undefined;
  return (env.TEMPORAL_TLS ?? implied) ? tls : undefined;
}

const isLoopback = (address: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?$/.test(address);

const authenticatesToTemporal = (env: Variables): boolean =>
  env.TEMPORAL_API_KEY !== undefined || (env.TEMPORAL_TLS !== false && env.TEMPORAL_TLS_CLIENT_CERT_PATH !== undefined);

export function refineTemporal(env: Variables, context: z.RefinementCtx): void {
  if (!env.TEMPORAL_TLS_CLIENT_CERT_PATH !== !env.TEMPORAL_TLS_CLIENT_KEY_PATH)
    context.addIssue({
      code: 'custom',
      path: [env.TEMPORAL_TLS_CLIENT_CERT_PATH ? 'TEMPORAL_TLS_CLIENT_KEY_PATH' : 'TEMPORAL_TLS_CLIENT_CERT_PATH'],
      message: 'is required: set the certificate and its key together',
    });
  if (isLoopback(env.TEMPORAL_ADDRESS)) return;
  if (!authenticatesToTemporal(env))
    context.addIssue({
      code: 'custom',
      path: ['TEMPORAL_ADDRESS'],
      message:
        'names a server beyond this machine, which would obey everyone who reaches it: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or TEMPORAL_API_KEY',
    });
  if (env.TEMPORAL_ENCRYPTION_KEYS.length === 0)
    context.addIssue({
      code: 'custom',
      path: ['TEMPORAL_ENCRYPTION_KEYS'],
      message:
        'is required with a Temporal server beyond this machine, which would store the content of every run in plaintext: set <id>:<key> with the output of `openssl rand -base64 32` as the key',
    });
}
