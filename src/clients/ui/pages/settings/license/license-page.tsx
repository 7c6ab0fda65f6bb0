import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../../api/queries/me.ts';
import { licenseQuery } from '../../../api/queries/settings.ts';
import { usageQuery } from '../../../api/queries/usage.ts';
import { Copy } from '../../../parts/copy.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import page from '../../../parts/page.module.css';
import { Columns, Details, PageHead, Section } from '../../../parts/page.tsx';
import { Mark, Status } from '../../../parts/state.tsx';
import { Day } from '../../../parts/time.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { InstallLicense } from './install-license.tsx';
import { LicenseTable } from './license-table.tsx';
import { states } from './license-states.ts';
import { RemoveLicense } from './remove-license.tsx';

/** The licence of the installation, which informs and locks nothing. */
export function LicensePage() {
  const { data: license } = useSuspenseQuery(licenseQuery);
  const { mark, word } = states[license.state];
  const { id, customer, plan, orgsMax, clustersMax, issuedAt, expiresAt } = license;
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: usage } = useQuery({ ...usageQuery, enabled: me.platformAdmin });
  const limit = (max: number, used?: number): string =>
    used === undefined ? `up to ${max}, not enforced` : `${used} of ${max}, not enforced`;
  return (
    <>
      <PageHead title="Licence">
        It says where this installation stands. No state of it stops or locks anything.
      </PageHead>
      <Columns aside={<CurlLine path="/license" />}>
        <div className={page['notice']} data-state={mark}>
          <Mark state={mark} />
          <p>{license.message}</p>
        </div>
        <Details
          items={[
            ['State', <Status key="state" state={mark} words={word} />],
            customer !== undefined && ['Customer', customer],
            plan !== undefined && ['Plan', plan],
            id !== undefined && ['Licence id', <Copy key="id" text={id} label="Copy the licence id" />],
            orgsMax !== undefined && ['Orgs', limit(orgsMax, usage?.orgs)],
            clustersMax !== undefined && ['Workload clusters', limit(clustersMax, usage?.workloadClusters)],
            issuedAt !== undefined && ['Issued', <Day key="issued" at={issuedAt} />],
            expiresAt !== undefined && ['Expires', <Day key="expires" at={expiresAt} />],
          ]}
        />
        <Section id="install" title="Install a licence">
          <InstallLicense why={findRefusal(license.actions, 'putLicense')} />
        </Section>
        {license.state !== 'evaluation' && (
          <Section id="remove" title="Remove the licence">
            <RemoveLicense why={findRefusal(license.actions, 'deleteLicense')} />
          </Section>
        )}
        <Section id="states" title="The four states">
          <LicenseTable />
        </Section>
      </Columns>
    </>
  );
}
