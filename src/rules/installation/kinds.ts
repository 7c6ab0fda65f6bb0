import { z } from 'zod';
import { Conditions } from '../conditions.ts';
import { Timestamp } from '../names.ts';
import { defineResource, type ResourceOf, systemNamespace } from '../resource.ts';

const HostText = z.string().min(1).max(253);

export const passwordSignIns = ['everyone', 'platform-admins'] as const;

export const InstallationSpec = z.strictObject({
  platformDomain: HostText.optional().describe(
    'Domain under which every zone has its own address. If absent, the addresses follow the pattern of ZONE_ADDRESS.',
  ),
  managedDomainRoots: z
    .array(HostText)
    .max(20)
    .describe('Domains whose subdomains orgs can claim; the service writes their DNS records.'),
  signIn: z
    .strictObject({
      password: z
        .enum(passwordSignIns)
        .describe('Who can sign in with an e-mail address and a password. Platform admins always can.'),
    })
    .describe('How people sign in, besides identity providers.'),
});
export type InstallationSpec = z.infer<typeof InstallationSpec>;

export const InstallationFinding = z.object({
  subject: z.enum(['platform-domain', 'managed-domain-root', 'sign-in']).describe('Setting that was checked.'),
  name: z.string().optional().describe('Domain that was checked.'),
  result: z.enum(['ok', 'warning']).describe('`warning` if the setting does not work yet.'),
  message: z.string().describe('What the check found, in words.'),
  fix: z.string().optional().describe('What to do; absent if the result is `ok`.'),
});
export type InstallationFinding = z.infer<typeof InstallationFinding>;

/** The settings that platform admins change while the service runs. Environment variables are their first values. */
export const InstallationKind = defineResource({
  kind: 'Installation',
  plural: 'installations',
  spec: InstallationSpec,
  status: z.object({
    findings: z.array(InstallationFinding).optional().describe('Findings of the last check.'),
    checkedAt: Timestamp.optional().describe('Time of the last check.'),
    accepted: InstallationSpec.optional().describe('The last valid settings, which count while the spec is rejected.'),
    conditions: Conditions,
  }),
  crd: {
    printerColumns: [
      { name: 'Platform domain', path: '.spec.platformDomain' },
      { name: 'Checked', path: '.status.checkedAt', type: 'date' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
    ],
  },
});
export type Installation = ResourceOf<typeof InstallationKind>;

/** The only Installation; one with another name has no effect. */
export const installationRef = { namespace: systemNamespace, name: 'installation' };
