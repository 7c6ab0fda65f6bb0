import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { AuditLog } from './audit-log.tsx';

const ofOrg = getRouteApi('/signed-in/$org/settings/audit');
const ofInstallation = getRouteApi('/signed-in/settings/audit');

/** The changes of an org. */
export function OrgAuditPage() {
  const { org } = ofOrg.useParams();
  const search = ofOrg.useSearch();
  const navigate = useNavigate({ from: '/$org/settings/audit' });
  return (
    <AuditLog org={org} search={search} onSearch={(next) => void navigate({ search: next, resetScroll: false })}>
      Every change in {org}: who made it, from where, and what it changed. No one can edit or delete an entry.
    </AuditLog>
  );
}

/** The changes of no org. */
export function InstallationAuditPage() {
  const search = ofInstallation.useSearch();
  const navigate = useNavigate({ from: '/settings/audit' });
  return (
    <AuditLog org={undefined} search={search} onSearch={(next) => void navigate({ search: next, resetScroll: false })}>
      Changes that belong to no org: sign-ins, people, tokens, orgs and the licence. No one can edit or delete an entry.
    </AuditLog>
  );
}
