import { z } from 'zod';
import { httpUrlSchema, wholeNumberSchema } from '../../config/schemas.ts';

/** The zone chart sets these variables. */
const GateVariables = z.object({
  PORT: wholeNumberSchema(0, 65_535).default(8080).describe('Port of the gate.'),
  HOST: z.string().default('127.0.0.1').describe('Address that the gate listens on.'),
  ZONE: z.string().min(1).describe('The zone whose visitors the gate asks to sign in. A gate serves no other zone.'),
  ZONE_ADDRESS: httpUrlSchema.describe('URL of the zone. All hosts of the zone have its scheme and port.'),
  APP_URL: z.url({ protocol: /^http$/ }).describe('URL of the Service of the app.'),
  API_URL: httpUrlSchema.describe('URL at which the gate reaches the API.'),
  PUBLIC_URL: httpUrlSchema.describe('URL at which people reach the API.'),
  SHUTDOWN_DELAY_SECONDS: wholeNumberSchema(0, 300)
    .default(5)
    .describe('Time for which a stopping gate still accepts requests, so that proxies notice the shutdown.'),
});

export type GateSettings = {
  port: number;
  host: string;
  zone: string;
  zoneAddress: URL;
  appUrl: URL;
  apiUrl: string;
  publicUrl: string;
  shutdownDelaySeconds: number;
};

/** Parses the environment of a gate. An empty variable counts as absent, and one error lists every invalid one. */
export function readGateSettings(environment: Record<string, string | undefined>): GateSettings {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { data: env, error } = GateVariables.safeParse(present);
  if (error) {
    const violations = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(`Invalid environment variables: ${violations.join('; ')}.`);
  }
  return {
    port: env.PORT,
    host: env.HOST,
    zone: env.ZONE,
    zoneAddress: new URL(env.ZONE_ADDRESS),
    appUrl: new URL(env.APP_URL),
    apiUrl: env.API_URL,
    publicUrl: env.PUBLIC_URL,
    shutdownDelaySeconds: env.SHUTDOWN_DELAY_SECONDS,
  };
}
