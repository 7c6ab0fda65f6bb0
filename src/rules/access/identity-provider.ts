import { z } from 'zod';
import { Conditions } from '../conditions.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

const domainPattern = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

export const IdentityProviderSpec = z.strictObject({
  label: z.string().trim().min(1).max(60).describe('Name that the sign-in page shows.'),
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine(isIssuer, 'must have no user, query or fragment')
    .describe('Issuer URL, where the provider serves `/.well-known/openid-configuration`. It cannot be changed.'),
  clientId: z.string().min(1).max(300).describe('Id under which the provider knows this installation.'),
  scopes: z
    .array(
      z
        .string()
        .max(100)
        .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must have no spaces, quotes or backslashes'),
    )
    .max(20)
    .optional()
    .describe(
      'Scopes to request besides `openid`. Absent: `email`, `profile`, `groups` and `offline_access`, as far as the provider lists them.',
    ),
  groupsClaim: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Claim that lists the groups of a person. Absent: `groups`.'),
  emailDomains: z
    .array(z.string().max(253).regex(domainPattern, 'must be a domain in lowercase'))
    .max(100)
    .optional()
    .describe('Domains of the e-mail addresses that may sign in. Absent or empty: all.'),
});
export type IdentityProviderSpec = z.infer<typeof IdentityProviderSpec>;

/** An OpenID provider that people sign in through. The Secret `identity-provider-<name>` holds the client secret. */
export const IdentityProviderKind = defineResource({
  kind: 'IdentityProvider',
  plural: 'identityproviders',
  spec: IdentityProviderSpec,
  status: z.object({ conditions: Conditions }),
  crd: {
    printerColumns: [
      { name: 'Label', path: '.spec.label' },
      { name: 'Issuer', path: '.spec.issuer' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
    ],
  },
});
export type IdentityProvider = ResourceOf<typeof IdentityProviderKind>;

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text);
}
