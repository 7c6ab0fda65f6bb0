import type { Schemas } from '../../../api/generated/openapi.ts';

export type Provider = Schemas['IdentityProvider'];

const texts = { name: '', label: '', issuer: '', clientId: '', clientSecret: '', groupsClaim: '', scopes: '' };
export type Type = 'openid' | 'github';
export type Draft = typeof texts & {
  type: Type;
  emailDomains?: string[] | undefined;
  organizations?: string[] | undefined;
};
/** A provider that has not been added yet, as the fields of the form hold it. */
export const empty: Draft = { ...texts, type: 'openid' };

export const types = [
  ['openid', 'OpenID Connect'],
  ['github', 'GitHub or GitHub Enterprise Server'],
] as const;

export const toDraft = ({ name, spec }: Provider): Draft => ({
  ...empty,
  ...spec,
  name,
  scopes: spec.scopes?.join(' ') ?? '',
});

const githubAddress = 'https://github.com';

/** Proposes the address that most people mean, and takes it back with the type. */
export const toIssuer = (type: string, issuer: string): string => {
  if (type === 'github') return issuer === '' ? githubAddress : issuer;
  return issuer === githubAddress ? '' : issuer;
};

/** An empty field leaves its value out, and so does one that the type does not have. */
export function toBody({ name, clientSecret, type, emailDomains, ...draft }: Draft) {
  const domains = toLines(emailDomains);
  return {
    name: name.trim(),
    ...(clientSecret !== '' && { clientSecret }),
    spec: {
      label: draft.label.trim(),
      type,
      issuer: draft.issuer.trim(),
      clientId: draft.clientId.trim(),
      ...(type === 'github' ? toGithubFields(draft) : toOpenIdFields(draft)),
      ...(domains.length > 0 && { emailDomains: domains }),
    },
  };
}

function toOpenIdFields({ groupsClaim, scopes }: Pick<Draft, 'groupsClaim' | 'scopes'>) {
  const words = scopes.split(/\s+/).filter((scope) => scope !== '');
  return {
    ...(groupsClaim.trim() !== '' && { groupsClaim: groupsClaim.trim() }),
    ...(words.length > 0 && { scopes: words }),
  };
}

function toGithubFields({ organizations }: Pick<Draft, 'organizations'>) {
  const names = toLines(organizations);
  return names.length > 0 ? { organizations: names } : {};
}

const toLines = (lines: string[] = []): string[] => lines.map((line) => line.trim()).filter((line) => line !== '');
