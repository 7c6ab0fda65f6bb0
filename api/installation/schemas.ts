import { z } from '@hono/zod-openapi';
import { InstallationFinding, InstallationSpec } from '../../src/rules/installation/kinds.ts';
import { Timestamp } from '../../src/rules/names.ts';
import { ActionView } from '../http/views.ts';

const { platformDomain, managedDomainRoots, signIn } = InstallationSpec.shape;

const settings = {
  platformDomain,
  managedDomainRoots,
  signIn: z.object(signIn.shape).describe('How people sign in, besides identity providers.'),
};

export const InstallationSettingsBody = z
  .strictObject({
    ...settings,
    resourceVersion: z
      .string()
      .min(1)
      .optional()
      .openapi({ description: 'The version to replace, in place of `If-Match`. Another version responds 409.' }),
  })
  .openapi('InstallationSettingsBody');

export const InstallationChangesBody = z.strictObject(settings);

const findings = z.array(z.object(InstallationFinding.shape));

const Change = z.object({
  pointer: z.string().describe('The setting, as a JSON Pointer.'),
  before: z.array(z.string()).describe('Its values until now.'),
  after: z.array(z.string()).describe('Its values with the change.'),
});

export const InstallationCheckView = z
  .object({
    changes: z.array(Change).describe('Settings that `putInstallation` would change.'),
    findings: findings.describe('What the check of these settings found.'),
  })
  .openapi('InstallationCheck');

export const InstallationSettingsView = z
  .object({
    ...settings,
    zoneAddress: z.string().describe('URL of a zone, with `{zone}` for its name.'),
    findings: findings.describe('Findings of the last check.'),
    checkedAt: Timestamp.optional().describe('Time of the last check.'),
    environment: z
      .array(
        z.object({
          pointer: z.string().describe('The setting, as a JSON Pointer.'),
          variable: z.string().describe('Environment variable of the operator.'),
          values: z.array(z.string()).describe('Values of the variable, which no longer count.'),
        }),
      )
      .describe('Environment variables that differ from the settings. They were only the first values.'),
    resourceVersion: z.string().optional().describe('Version of the settings; absent until they are created.'),
    actions: z.array(ActionView).describe('Operations on the settings, with whether the caller can perform them now.'),
  })
  .openapi('InstallationSettings');
