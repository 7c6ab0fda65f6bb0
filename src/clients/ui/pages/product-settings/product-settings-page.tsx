import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { productQuery } from '../../api/queries/products.ts';
import { useLive } from '../../live/live.tsx';
import { CurlLine } from '../../parts/curl-line.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Columns, Details, Section } from '../../parts/page.tsx';
import { ProductHead } from '../../parts/product-head.tsx';
import { useNavigateIfHere } from '../../parts/use-navigate-if-here.ts';
import { SettingsForm } from './settings-form.tsx';
import styles from './product-settings.module.css';
import { lazyPart } from '../../parts/lazy-file.ts';

const DeleteProduct = lazyPart(async () => (await import('./delete-product.tsx')).DeleteProduct);

const route = getRouteApi('/signed-in/$org/products/$product/settings');

/** The settings of a Product, with what they change in the gitops repo before they are saved. */
export function ProductSettingsPage() {
  const { org, product: name } = route.useParams();
  const { delete: isDeleting } = route.useSearch();
  const navigate = useNavigate();
  // The page leads on, because the dialog of a Product that is being deleted is no longer shown.
  const navigateIfHere = useNavigateIfHere(isDeleting === true);
  const { data: product } = useSuspenseQuery(productQuery(org, name));
  useLive({ kind: 'products', org, name });
  const action = product.actions.find((one) => one.name === 'deleteProduct');
  const why = action?.allowed === true ? undefined : action?.message;
  const params = { org, product: name };
  return (
    <>
      <ProductHead product={product} tab="Settings" />
      <Columns
        aside={
          <>
            <section>
              <h2>What does not change here</h2>
              <Details
                items={[
                  ['Name', <code key="name">{name}</code>],
                  product.spec.source !== undefined && [
                    'Made from',
                    product.spec.source.template === undefined
                      ? 'an archive'
                      : `the template ${product.spec.source.template}`,
                  ],
                  ['Generation', `${product.generation}`],
                ]}
              />
            </section>
            <CurlLine path={`/orgs/${org}/products/${name}`} />
          </>
        }
      >
        <SettingsForm product={product} />
        <Section id="delete" title="Delete this Product" note="Its repos stay">
          <p className={styles['text']}>
            Its zones, with everything that runs and is stored in them, and its Releases end. This cannot be taken back.
          </p>
          {why === undefined ? (
            <ButtonLink
              look="danger"
              resetScroll={false}
              to="/$org/products/$product/settings"
              params={params}
              search={{ delete: true }}
            >
              Delete {name}…
            </ButtonLink>
          ) : (
            <span className="row wrap">
              <Button look="danger" why={why}>
                Delete {name}…
              </Button>
              <span className="dim small">{why}</span>
            </span>
          )}
        </Section>
      </Columns>
      {isDeleting === true && why === undefined && (
        <Suspense>
          <DeleteProduct
            product={product}
            onClose={() =>
              void navigate({ to: '/$org/products/$product/settings', params, search: {}, resetScroll: false })
            }
            onDeleted={async () => await navigateIfHere({ to: '/$org', params: { org }, ignoreBlocker: true })}
          />
        </Suspense>
      )}
    </>
  );
}
