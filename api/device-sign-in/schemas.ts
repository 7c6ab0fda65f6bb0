import { z } from '@hono/zod-openapi';
import { orgRoles } from '../../src/rules/access/roles.ts';
import { Timestamp } from '../../src/rules/names.ts';
import type { DeviceSignIn } from './device-sign-ins.ts';

export const DeviceSignInParams = z.object({
  code: z
    .string()
    .min(1)
    .max(50)
    .openapi({
      description: 'Code that the tool shows, in upper or lower case, with or without the hyphen.',
      param: { name: 'code', in: 'path' },
      example: 'WDJB-MJHT',
    }),
});

export const DeviceSignInView = z
  .object({
    client: z.string().describe('Name that the tool gave itself.'),
    address: z.string().describe('Address that the tool asked from.'),
    roleMax: z
      .enum(orgRoles)
      .optional()
      .describe('Highest role that the tool asked for; absent if it asked for all that the person may do.'),
    createdAt: Timestamp.describe('Time at which the tool asked.'),
    expiresAt: Timestamp.describe('Time until which the code can be approved.'),
  })
  .openapi('DeviceSignIn');

export function toDeviceSignInView(signIn: DeviceSignIn): z.infer<typeof DeviceSignInView> {
  const { client, address, roleMax, createdAt, expiresAt } = signIn;
  return { client, address, ...(roleMax && { roleMax }), createdAt, expiresAt };
}
