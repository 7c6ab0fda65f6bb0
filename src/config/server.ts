import { z } from 'zod';
import { cidrListSchema, httpUrlSchema, listSchema, portSchema, wholeNumberSchema } from './schemas.ts';

export const serverVariables = {
  PORT: portSchema.default(8080).describe('Port of the API.'),
  HOST: z.string().default('127.0.0.1').describe('Address that the API listens on.'),
  PUBLIC_URL: httpUrlSchema
    .refine(
      (url) => /^https?:\/\/[^/?#@]+$/.test(url),
      'must be a URL without a path, such as https://delivery.example.com',
    )
    .optional()
    .describe('URL at which people and the code host reach the API (default: http://localhost:PORT).'),
  METRICS_PORT: portSchema
    .optional()
    .describe('Port for /metrics, which no other port serves. Without it, the API serves no metrics.'),
  TRUSTED_PROXIES: cidrListSchema.describe(
    'Addresses of proxies in front of the API, as CIDRs. Only their X-Forwarded-For header names the address of a caller.',
  ),
  PASSWORD_SIGN_IN: z
    .enum(['everyone', 'platform-admins'])
    .default('everyone')
    .describe(
      'Who can sign in with an e-mail address and a password. The others sign in through identity providers. A first value, which platform admins change with `putInstallation`.',
    ),
  TOKEN_DAYS_DEFAULT: wholeNumberSchema(1)
    .default(90)
    .describe('Lifetime of an API token that is created without an expiry, in days.'),
  TOKEN_DAYS_MAX: wholeNumberSchema(1)
    .default(365)
    .describe('Longest lifetime that an API token can be created with, in days.'),
  LICENSE_PUBLIC_KEYS: listSchema
    .pipe(z.array(z.string().regex(/^[\w-]{43}$/, 'each entry must be an Ed25519 public key in base64url')))
    .describe(
      'Public keys that verify licenses. The vendor sets them when the image is built; several allow for a rotation.',
    ),
  SHUTDOWN_DELAY_SECONDS: wholeNumberSchema(0, 300)
    .default(0)
    .describe('Time for which a stopping API still accepts requests, so that load balancers notice the shutdown.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Lowest level of log lines that are written.'),
};
type Variables = z.infer<z.ZodObject<typeof serverVariables>>;

export type ServerConfig = {
  port: number;
  host: string;
  publicUrl: string;
  metricsPort: number | undefined;
  trustedProxies: readonly string[];
  passwordSignIn: 'everyone' | 'platform-admins';
  tokenLifetime: { defaultDays: number; maxDays: number };
  licensePublicKeys: readonly string[];
  shutdownDelaySeconds: number;
  logLevel: string;
};

export const toServerConfig = (env: Variables): ServerConfig => ({
  port: env.PORT,
  host: env.HOST,
  publicUrl: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
  metricsPort: env.METRICS_PORT,
  trustedProxies: env.TRUSTED_PROXIES,
  passwordSignIn: env.PASSWORD_SIGN_IN,
  tokenLifetime: { defaultDays: env.TOKEN_DAYS_DEFAULT, maxDays: env.TOKEN_DAYS_MAX },
  licensePublicKeys: env.LICENSE_PUBLIC_KEYS,
  shutdownDelaySeconds: env.SHUTDOWN_DELAY_SECONDS,
  logLevel: env.LOG_LEVEL,
});

export function refineServer(env: Variables, context: z.RefinementCtx): void {
  if (env.TOKEN_DAYS_DEFAULT > env.TOKEN_DAYS_MAX)
    context.addIssue({ code: 'custom', path: ['TOKEN_DAYS_DEFAULT'], message: 'must not exceed TOKEN_DAYS_MAX' });
}
