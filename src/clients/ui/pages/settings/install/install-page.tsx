import { useSuspenseQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { statusQuery } from '../../../api/queries/settings.ts';
import { every } from '../../../live/live-state.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Details, PageHead, Section } from '../../../parts/page.tsx';
import { lazyPart } from '../../../parts/lazy-file.ts';
import { Mark } from '../../../parts/state.tsx';
import { GitopsRepos } from './gitops-repos.tsx';
import table from '../../../parts/table.module.css';

const InstallationForm = lazyPart(async () => (await import('./installation-form.tsx')).InstallationForm);

const ImageRegistry = lazyPart(async () => (await import('./image-registry.tsx')).ImageRegistry);

const plurals: Record<string, string> = {
  organizations: 'Orgs',
  products: 'Products',
  agentworkflowruns: 'Changes',
  releases: 'Releases',
};

/** The state of the installation: its version and what it depends on. */
export function InstallPage() {
  const { data } = useSuspenseQuery({ ...statusQuery, refetchInterval: every(10_000) });
  const { store, workflows, managementCluster, metrics, resources, gitops } = data;
  const checks: [name: string, isReachable: boolean, note: string][] = [
    ['Store', store.reachable, 'Holds all resources.'],
    ['Workflow server', workflows.reachable, 'Runs Changes, Releases and promotions.'],
    ['Management cluster', managementCluster.reachable, 'Holds the deployment controller.'],
    ['Metrics', metrics.reachable, metrics.message ?? 'Prometheus and Alertmanager measure zones, and send alerts.'],
    ...managementCluster.workloadClusters.map(({ name, readable }): [string, boolean, string] => [
      `Cluster ${name}`,
      readable,
      'Zones run there.',
    ]),
  ];
  return (
    <>
      <PageHead title="Installation">{data.message}</PageHead>
      <Columns
        aside={
          <>
            <section>
              <h2>This installation</h2>
              <Details
                items={[
                  ['Host', data.name],
                  ['Version', <code key="version">{data.version}</code>],
                ]}
              />
            </section>
            <CurlLine path="/status" />
          </>
        }
      >
        <Section id="checks" title="Dependencies" note="Checked every 10 seconds">
          <table className={table['tbl']}>
            <thead>
              <tr>
                <th scope="col">Part</th>
                <th scope="col">State</th>
                <th scope="col">Purpose</th>
              </tr>
            </thead>
            <tbody>
              {checks.map(([name, isReachable, note]) => (
                <tr key={name}>
                  <th scope="row" className={table['title']}>
                    {name}
                  </th>
                  <td data-l="State">
                    <span className="row">
                      <Mark state={isReachable ? 'done' : 'failed'} />
                      {isReachable ? 'Reachable' : 'Not reachable'}
                    </span>
                  </td>
                  <td data-l="Purpose">{note}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
        {/* Only platform admins get the numbers, and may read the settings. */}
        {resources && (
          <Section id="settings" title="Settings" note="They apply at once, without a restart">
            <Suspense>
              <InstallationForm />
            </Suspense>
          </Section>
        )}
        {resources && (
          <Section id="image-registry" title="Image registry" note="For Products that name no registry of their org">
            <Suspense>
              <ImageRegistry />
            </Suspense>
          </Section>
        )}
        {gitops && gitops.length > 0 && (
          <Section id="gitops" title="GitOps repos" note="A Release reaches a wave after all earlier waves">
            <GitopsRepos repos={gitops} />
          </Section>
        )}
        {resources && (
          <Section id="resources" title="In all orgs">
            <Details
              items={Object.entries(resources).map(([plural, count]): [string, string] => [
                plurals[plural] ?? plural,
                `${count}`,
              ])}
            />
          </Section>
        )}
      </Columns>
    </>
  );
}
