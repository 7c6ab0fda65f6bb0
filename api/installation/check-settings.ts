import { isCloudflareAddress } from '../../src/integrations/dns/is-cloudflare-address.ts';
import { randomProbeLabel, resolveIngress } from '../../src/integrations/dns/probe.ts';
import { isSubdomain } from '../../src/rules/domains/host-name.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { judgeManagedRoot, judgePlatformDomain } from '../../src/rules/installation/judge-domains.ts';
import type { InstallationFinding, InstallationSpec } from '../../src/rules/installation/kinds.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { ApiDeps } from '../deps.ts';
import { listProviderLinks } from '../identity/list-sign-in-methods.ts';

type Deps = Pick<ApiDeps, 'store' | 'dns' | 'config'>;

/** Compares settings with the real thing: what DNS answers, and how else people can sign in. */
export async function checkSettings(deps: Deps, spec: InstallationSpec): Promise<InstallationFinding[]> {
  const { platformDomain, managedDomainRoots, signIn } = spec;
  const checks = [
    ...(platformDomain === undefined ? [] : [checkPlatformDomain(deps, platformDomain)]),
    ...managedDomainRoots.map(async (root) => await checkRoot(deps, root)),
    ...(signIn.password === 'everyone' ? [] : [checkSignIn(deps)]),
  ];
  return await Promise.all(checks);
}

async function checkPlatformDomain({ dns, config }: Deps, domain: string): Promise<InstallationFinding> {
  const ingress = await resolveIngress(dns, config.domains.ingress);
  const addresses = await dns.lookupAddresses(`${randomProbeLabel()}.${domain}`, {
    allServers: true,
    ...(ingress.host !== undefined && { stopAtAlias: ingress.host }),
  });
  return judgePlatformDomain(domain, { addresses, ingress, isProxied: isCloudflareAddress, allowedInside: [] });
}

async function checkRoot({ dns, store }: Deps, root: string): Promise<InstallationFinding> {
  const { items } = await cachedReads(store).list(DomainKind);
  const verified = items.find(
    ({ spec, status }) => spec.kind === 'managed' && isSubdomain(spec.name, root) && status?.state === 'Verified',
  );
  const answer = await dns.lookupTxt(`${randomProbeLabel()}.${root}`, { allServers: true });
  return judgeManagedRoot(root, { answer, verified: verified?.spec.name });
}

async function checkSignIn({ store }: Deps): Promise<InstallationFinding> {
  const subject = 'sign-in';
  return (await listProviderLinks(store)).length > 0
    ? { subject, result: 'ok', message: 'The others sign in through an identity provider.' }
    : {
        subject,
        result: 'warning',
        message: 'Only platform admins can sign in, because there is no identity provider.',
        fix: 'Add an identity provider with `createIdentityProvider`.',
      };
}
