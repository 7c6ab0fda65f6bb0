import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { registriesQuery } from '../../../api/queries/registries.ts';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Columns, Empty, PageHead, Section } from '../../../parts/page.tsx';
import page from '../../../parts/page.module.css';
import { Mark } from '../../../parts/state.tsx';
import { useOpenRows } from '../../../parts/use-open-rows.ts';
import { EditRegistry } from './edit-registry.tsx';
import { NewRegistry } from './new-registry.tsx';
import { RegistryTable } from './registry-table.tsx';

const route = getRouteApi('/signed-in/$org/settings/registries');

/** The container registries whose credentials builds and zones of the org use. */
export function RegistriesPage() {
  const { org } = route.useParams();
  const { data } = useSuspenseQuery(registriesQuery(org));
  const edited = useOpenRows();
  const isUnused = data.items.some(({ use }) => use === 'none');
  return (
    <>
      <PageHead title="Registries">
        Registries that builds of {org} pull from and push to, and that its zones pull from.
      </PageHead>
      <Columns
        aside={
          <>
            <section>
              <h2>How they are used</h2>
              <p className="dim">
                All builds pull base images with them. Builds of a Product push to the registry that its settings name,
                and its zones pull from there. A new password reaches both at once. An installation on one machine uses
                none. See{' '}
                <Link to="/help/$guide" params={{ guide: 'environments' }}>
                  Environments
                </Link>
                .
              </p>
            </section>
            <CurlLine path={`/orgs/${org}/registries`} />
          </>
        }
      >
        {isUnused && (
          <div className={page['notice']} data-state="warn">
            <Mark state="warn" />
            <p>
              This installation runs on one machine, which builds and runs apps without a registry. The credentials are
              checked and kept, but not used.
            </p>
          </div>
        )}
        {data.items.length === 0 ? (
          <Empty title="No registry yet">
            <p>Connect one below if images of {org} are private.</p>
          </Empty>
        ) : (
          <RegistryTable org={org} registries={data.items} onEdit={edited.open} />
        )}
        {data.items
          .filter(({ name }) => edited.names.includes(name))
          .map((registry) => (
            <Section
              key={registry.name}
              id={`edit-${registry.name}`}
              title={`Edit ${registry.name}`}
              note="Checked again before it is saved"
            >
              <EditRegistry org={org} registry={registry} onDone={() => edited.close(registry.name)} />
            </Section>
          ))}
        <Section id="new" title="Connect a registry" note="Checked by signing in before it is saved">
          <NewRegistry org={org} />
        </Section>
      </Columns>
    </>
  );
}
