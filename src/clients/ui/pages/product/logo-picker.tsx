import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { productQuery } from '../../api/queries/products.ts';
import { request } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import field from '../../parts/field.module.css';
import { formatAmount } from '../../parts/format-amount.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import { announce } from '../../shell/announcer.tsx';
import styles from './logo-picker.module.css';

type Suggestion = Schemas['LogoSuggestion'];
type Choice = { file: Blob; label: string };

/** Shows an image that is not stored yet. An `img` runs no script of an SVG. */
const toImageUrl = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** Replaces the logo of a Product by a file, or by one of ten suggestions. */
export function LogoPicker({ org, product: name, onClose }: { org: string; product: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { data: product } = useSuspenseQuery(productQuery(org, name));
  const id = useId();
  const [choice, setChoice] = useState<Choice>();
  const suggest = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/products/{product}/logo/suggestions', { params: { org, product: name } }),
    onSuccess: ({ items }) => announce(`${formatAmount(items.length, 'suggestion')}.`),
  });
  const save = useMutation({
    mutationFn: async ({ file }: Choice) =>
      await request('put', '/v1/orgs/{org}/products/{product}/logo', { params: { org, product: name }, file }),
    onSuccess: async (logo) => {
      announce('commit' in logo ? 'The logo was saved.' : 'The logo is being committed.');
      await queryClient.invalidateQueries({ queryKey: ['product', org, name] });
      await queryClient.invalidateQueries({ queryKey: ['products', org] });
    },
  });
  const toWhy = (verb: 'put' | 'suggest'): string | undefined => {
    const action = product.actions.find((one) => one.name.startsWith(verb));
    return action?.allowed === true ? undefined : action?.message;
  };
  const why = toWhy('put') ?? (choice ? undefined : 'Choose a file or a suggestion first.');
  return (
    <Dialog
      wide
      title={`Logo of ${product.spec.displayName ?? name}`}
      note="It is committed to the first repo, through a pull request that is merged at once."
      onClose={onClose}
      foot={
        <>
          <Button
            look="primary"
            why={why}
            busy={save.isPending}
            onClick={() => choice && save.mutate(choice, { onSuccess: onClose })}
          >
            {save.isPending ? 'Saving…' : choice ? `Use ${choice.label}` : 'Use it'}
          </Button>
          <Button onClick={onClose}>Not now</Button>
          {why !== undefined && <span className="dim small">{why}</span>}
        </>
      }
    >
      <div className={field['field']}>
        <label htmlFor={id}>A file</label>
        <input
          id={id}
          className={field['input']}
          type="file"
          accept="image/svg+xml,image/png,image/jpeg,image/webp"
          aria-invalid={save.error !== null || undefined}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            save.reset();
            setChoice(file && { file, label: file.name });
          }}
        />
        <span id={`${id}-hint`} className={field['hint']}>
          SVG, PNG, JPEG or WebP. Scripts, links and styles in an SVG are refused.
        </span>
      </div>
      {save.error && <ProblemNotice error={save.error} />}
      <div className="row wrap">
        <Button why={toWhy('suggest')} busy={suggest.isPending} onClick={() => suggest.mutate()}>
          {suggest.isPending ? 'Drawing ten suggestions…' : suggest.data ? 'Suggest ten others' : 'Suggest ten logos'}
        </Button>
        <span className="dim small">The org’s model draws them. That costs a few cents.</span>
      </div>
      {suggest.error && <ProblemNotice error={suggest.error} />}
      {suggest.data && (
        <fieldset className={styles['grid']}>
          <legend>Suggestions</legend>
          {suggest.data.items.map((item) => (
            <Option
              key={item.direction}
              item={item}
              onChoose={() =>
                setChoice({ file: new Blob([item.svg], { type: 'image/svg+xml' }), label: `the ${item.direction}` })
              }
            />
          ))}
        </fieldset>
      )}
    </Dialog>
  );
}

const Option = ({ item: { direction, svg, source }, onChoose }: { item: Suggestion; onChoose: () => void }) => (
  <label className={styles['option']}>
    <input type="radio" name="suggestion" onChange={onChoose} />
    <img src={toImageUrl(svg)} alt="" />
    <span>
      {direction.replaceAll('-', ' ')}
      {source === 'built-in' && <span className="faint"> (built in)</span>}
    </span>
  </label>
);
