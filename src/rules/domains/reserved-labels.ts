/** Labels that visitors would take for a service of the installation, and that mail or certificate authorities use. */
const serviceLabels = new Set(
  (
    'www www1 www2 web api apis app apps docs doc help support status admin administrator root auth login logout signin ' +
    'signup sso account accounts oauth id internal system service services platform console dashboard portal ingress ' +
    'gateway cdn static assets media files mail email webmail smtp imap pop mx ns ns1 ns2 dns ftp ssh vpn git registry ' +
    'metrics monitoring grafana billing payment payments security abuse postmaster hostmaster webmaster autoconfig ' +
    'autodiscover wpad localhost'
  ).split(' '),
);
const environmentLabels = new Set('dev staging stage prod production test preview rc beta demo'.split(' '));

/** Returns true for a label that no org may have directly under a domain that it shares with other orgs. */
export const isReservedLabel = (label: string): boolean => serviceLabels.has(label) || label.startsWith('xn--');

/** Returns true for a label that no org may claim as a domain: it would look like an environment of the installation. */
export const isReservedDomainLabel = (label: string): boolean => isReservedLabel(label) || environmentLabels.has(label);
