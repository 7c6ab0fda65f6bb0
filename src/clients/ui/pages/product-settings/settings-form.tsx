import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useState, type FormEvent } from 'react';
import { productQuery } from '../../api/queries/products.ts';
import { isStale } from '../../api/preconditions.ts';
import { request } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Product } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Conflict } from '../../parts/conflict.tsx';
import { Field } from '../../parts/field.tsx';
import { findError } from '../../parts/find-error.ts';
import { Rejection } from '../../parts/form.tsx';
import { lazyPart } from '../../parts/lazy-file.ts';
import { Section, Skeleton } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { Unsaved } from '../../parts/unsaved.tsx';
import { useFocusInvalid } from '../../parts/use-focus-invalid.ts';
import { announce } from '../../shell/announcer.tsx';
import { Preview } from './preview.tsx';
import { RegistryField } from './registry-field.tsx';
import { StatusPageFields } from './status-page-fields.tsx';
import { listChanged, mergeValues, readSlos, splitWords, toSpec, toValues, type Values } from './values.ts';
import { ZoneChecks } from './zone-checks.tsx';
import { ZoneFields } from './zone-fields.tsx';
import styles from './product-settings.module.css';

const SloFields = lazyPart(async () => (await import('./slo-fields.tsx')).SloFields);

type View = Schemas['ValuesPreview'] | Product;

/** Edits the spec that was read; another person's change is shown next to what was typed, which stays. */
export function SettingsForm({ product }: { product: Product }) {
  const { org, name, actions } = product;
  const queryClient = useQueryClient();
  const [base, setBase] = useState(product);
  const [values, setValues] = useState(() => toValues(product.spec));
  const before = toValues(base.spec);
  const changed = listChanged(before, values);
  const put = async (query: { dryRun?: 'true' }): Promise<View> =>
    await request('put', '/v1/orgs/{org}/products/{product}', {
      params: { org, product: name },
      query,
      body: { spec: toSpec(base.spec, values), generation: base.generation },
    });
  const onError = async (error: Error): Promise<void> => {
    if (isStale(error)) await queryClient.invalidateQueries(productQuery(org, name));
  };
  const preview = useMutation({ mutationFn: async () => await put({ dryRun: 'true' }), onError });
  const save = useMutation({
    mutationFn: async () => ({ sent: values, saved: (await put({})) as Product }),
    onSuccess: async ({ sent, saved }) => {
      setBase(saved);
      setValues((typed) => mergeValues(sent, toValues(saved.spec), typed));
      preview.reset();
      queryClient.setQueryData(['product', org, name], saved);
      announce('Saved.');
      await queryClient.invalidateQueries({ queryKey: ['zones', org] });
    },
    onError,
  });
  const set = (field: string, value: string): void => {
    setValues((old) => ({ ...old, [field]: value }));
    preview.reset();
    save.reset();
  };
  const rebase = (next: Values): void => {
    setBase(product);
    setValues(next);
    preview.reset();
    save.reset();
  };
  const isOutdated = product.generation !== base.generation;
  const theirs = toValues(product.spec);
  const merged = mergeValues(before, theirs, values);
  useEffect(() => {
    if (!isOutdated || changed.length > 0) return;
    setBase(product);
    setValues(toValues(product.spec));
  }, [isOutdated, changed.length, product]);
  const error = save.error ?? preview.error;
  const form = useFocusInvalid<HTMLFormElement>(error);
  const action = actions.find((one) => one.name === 'replaceProduct');
  const isReviewed = preview.data !== undefined && 'files' in preview.data;
  const why =
    action?.allowed !== true
      ? action?.message
      : isOutdated && changed.length > 0
        ? 'Another person saved these settings. Decide above first.'
        : changed.length === 0
          ? 'Nothing is changed.'
          : undefined;
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (why !== undefined || preview.isPending || save.isPending) return;
    if (isReviewed) save.mutate();
    else preview.mutate();
  };
  const isSaved = save.isSuccess && changed.length === 0;
  const toField = (field: string) => ({
    value: values[field] ?? '',
    onChange: ({ target }: { target: { value: string } }) => set(field, target.value),
    ...(values[field] !== before[field] && { hint: `Was ${before[field] === '' ? 'empty' : before[field]}` }),
  });
  return (
    <Rejection value={error}>
      <form ref={form} className={styles['form']} onSubmit={onSubmit}>
        <Unsaved isDirty={changed.length > 0} />
        {isOutdated && changed.length > 0 && (
          <Conflict
            theirs={product.spec}
            mine={toSpec(product.spec, merged)}
            onTakeTheirs={() => rebase(theirs)}
            onKeepMine={() => rebase(merged)}
          />
        )}
        <Section id="about" title="About">
          <div className={styles['fields']}>
            <Field label="Title" {...toField('displayName')} error={findError(error, '/spec/displayName')} />
            <TextArea
              label="Description"
              rows={2}
              {...toField('description')}
              error={findError(error, '/spec/description')}
            />
            <TextArea
              label="Repos, one a line"
              rows={Math.max(2, product.spec.repos.length)}
              spellCheck={false}
              {...toField('repos')}
              error={findError(error, '/spec/repos')}
            />
          </div>
        </Section>
        <Section id="zones" title="Zones" note="Each zone has further settings behind its name">
          <ZoneFields product={base} values={values} before={before} error={error} onChange={set} />
          <div className={styles['fields']}>
            <ZoneChecks
              legend="Release zones"
              hint={`Zones whose users the Product serves: SLOs, delivery figures and the status page are about them. If none is chosen, ${base.spec.delivery.zones.at(-1)?.name ?? 'the last zone'}, the last zone.`}
              pointer="/spec/delivery/releaseZones"
              zones={base.spec.delivery.zones.map((zone) => zone.name)}
              chosen={values['releaseZones'] === '' ? undefined : splitWords(values['releaseZones'])}
              onChange={(chosen) => set('releaseZones', chosen?.join('\n') ?? '')}
            />
          </div>
        </Section>
        <Section id="images" title="Images" note="Where builds push, and zones pull">
          <div className={styles['fields']}>
            <RegistryField
              org={org}
              value={values['registry'] ?? ''}
              saved={before['registry'] ?? ''}
              canChange={action?.allowed === true}
              onChange={(registry) => set('registry', registry)}
            />
          </div>
        </Section>
        <Section id="slos" title="SLOs" note="The service alerts when a zone fails faster than its objective allows">
          <Suspense fallback={<Skeleton rows={2} />}>
            <SloFields
              product={base}
              slos={readSlos(values)}
              error={error}
              onChange={(slos) => set('slos', JSON.stringify(slos))}
            />
          </Suspense>
        </Section>
        <StatusPageFields product={base} values={values} before={before} error={error} onChange={set} />
        {isReviewed && preview.data && 'files' in preview.data && <Preview preview={preview.data} />}
        {error && <ProblemNotice error={error} />}
        <div className="row wrap">
          <Button look="primary" type="submit" why={why} busy={preview.isPending || save.isPending}>
            {isReviewed ? 'Save the settings' : preview.isPending ? 'Comparing…' : 'Review the changes'}
          </Button>
          {changed.length > 0 && <Button onClick={() => rebase(toValues(product.spec))}>Undo my changes</Button>}
          {why !== undefined && !isSaved && <span className="dim small">{why}</span>}
          {isSaved && (
            <span className="dim small" role="status">
              Saved.
            </span>
          )}
        </div>
      </form>
    </Rejection>
  );
}
