import { z } from 'zod';
import { Conditions } from '../conditions.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { titleText } from '../names.ts';

const domainPattern = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** The protocols of identity providers. */
export const identityProviderTypes = ['openid', 'github'] as const;
export type IdentityProviderType = (typeof identityProviderTypes)[number];

const IdentityProviderFields = z.strictObject({
  label: titleText(60).describe('Name that the sign-in page shows.'),
  type: z
    .enum(identityProviderTypes)
    .optional()
    .describe(
      'Protocol of the provider: `openid` for OpenID Connect, `github` for the accounts of GitHub or GitHub Enterprise Server. Defaults to `openid`. It cannot be changed.',
    ),
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .refine(isIssuer, 'must have no user, query or fragment')
    .describe(
      'Issuer URL, where an OpenID provider serves `/.well-known/openid-configuration`; for `github`, the web address, such as `https://github.com`. It cannot be changed.',
    ),
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
      'Scopes to request besides `openid`. Defaults to `email`, `profile`, `groups` and `offline_access`, as far as the provider lists them. Not for `github`.',
    ),
  groupsClaim: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Claim that lists the groups of a person. Defaults to `groups`. Not for `github`.'),
  organizations: z
    .array(z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/, 'must be the name of an organization'))
    .min(1)
    .max(20)
    .optional()
    .describe(
      'Organizations at the code host whose members may sign in, and whose teams are groups. If absent, everyone may sign in, and the teams of all organizations are groups. For `github` only.',
    ),
  emailDomains: z
    .array(z.string().max(253).regex(domainPattern, 'must be a domain in lowercase'))
    .max(100)
    .optional()
    .describe('Domains of the e-mail addresses that may sign in. If absent or empty, all may sign in.'),
});
export const IdentityProviderSpec = IdentityProviderFields.superRefine((spec, context) => {
  for (const { path, message } of listTypeViolations(spec)) context.addIssue({ code: 'custom', path: [path], message });
});
export type IdentityProviderSpec = z.infer<typeof IdentityProviderSpec>;

export const getProviderType = ({ type = 'openid' }: Pick<IdentityProviderSpec, 'type'>): IdentityProviderType => type;

/** A provider that people sign in through. The Secret `identity-provider-<name>` holds the client secret. */
export const IdentityProviderKind = defineResource({
  kind: 'IdentityProvider',
  plural: 'identityproviders',
  spec: IdentityProviderSpec,
  status: z.object({ conditions: Conditions }),
  crd: {
    printerColumns: [
      { name: 'Label', path: '.spec.label' },
      { name: 'Type', path: '.spec.type' },
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

type Violation = { path: string; message: string };

/** Lists the fields that the type of the provider does not have, which would have no effect. */
function listTypeViolations(spec: z.infer<typeof IdentityProviderFields>): Violation[] {
  if (getProviderType(spec) === 'openid')
    return spec.organizations ? [{ path: 'organizations', message: 'applies to the type "github" only' }] : [];
  const foreign = (['scopes', 'groupsClaim'] as const).filter((field) => spec[field] !== undefined);
  return [
    ...foreign.map((path) => ({ path, message: 'applies to the type "openid" only' })),
    ...(isOrigin(spec.issuer)
      ? []
      : [
          {
            path: 'issuer',
            message: 'must be the address of the code host without a path, such as https://github.com',
          },
        ]),
  ];
}

/** One code host has one spelling, because identities belong to it. */
const isOrigin = (text: string): boolean => URL.parse(text)?.origin === text;
