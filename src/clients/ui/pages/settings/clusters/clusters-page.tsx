import { useSuspenseQuery } from '@tanstack/react-query';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Empty, PageHead, Section } from '../../../parts/page.tsx';
import { useOpenRows } from '../../../parts/use-open-rows.ts';
import { ClusterDetails } from './cluster-details.tsx';
import { ClusterTable } from './cluster-table.tsx';
import { NewCluster } from './new-cluster.tsx';

/** The clusters that zones can run in besides that of the installation. */
export function ClustersPage() {
  const { data } = useSuspenseQuery(clustersQuery);
  const opened = useOpenRows();
  return (
    <>
      <PageHead title="Clusters">Where zones can run, besides the cluster of this installation.</PageHead>
      <Columns
        aside={
          <>
            <section>
              <h2>Before you add one</h2>
              <p className="dim">
                Apply <code>deploy/workload-cluster.yaml</code> there. Create a token of its account, or bind its
                ClusterRole <code>service-zones</code> to the role or service account of a cloud account. Add the
                cluster to Argo CD under the same name.
              </p>
            </section>
            <CurlLine path="/clusters" />
          </>
        }
      >
        {data.items.length === 0 ? (
          <Empty title="No workload cluster yet">
            <p>All zones run in the cluster of this installation.</p>
          </Empty>
        ) : (
          <ClusterTable clusters={data.items} onOpen={opened.open} />
        )}
        {data.items
          .filter(({ name }) => opened.names.includes(name))
          .map((cluster) => (
            <ClusterDetails key={cluster.name} cluster={cluster} onClose={() => opened.close(cluster.name)} />
          ))}
        <Section id="new" title="Add a cluster" note="Checked by signing in before it is saved">
          <NewCluster onAdded={opened.open} />
        </Section>
      </Columns>
    </>
  );
}
