import { ServiceError } from '../errors.ts';
import type { ZoneTelemetry } from '../integrations/telemetry/zone-telemetry.ts';

const refuse = async (): Promise<never> => {
  throw new ServiceError('unavailable', 'Nothing tells this installation what pods write and use. Set STORE.');
};

/** Where nobody can be asked what pods write and use. */
export const noTelemetry: ZoneTelemetry = { logs: refuse, series: refuse };
