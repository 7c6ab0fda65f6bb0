import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { modelsQuery } from '../../../api/queries/agents.ts';
import { request, type RequestOptions } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { NumberField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import forms from '../../../parts/form.module.css';
import { Section, Skeleton } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import table from '../../../parts/table.module.css';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { useOpenRows } from '../../../parts/use-open-rows.ts';

type Model = Schemas['OfferedModel'];
type Price = Omit<NonNullable<Model['price']>, 'source'>;

/** The models that the provider offers, with the prices that costs are counted with. */
export function ModelTable({ org, actions }: { org: string; actions: Schemas['Action'][] }) {
  const { data, error, refetch, isPending } = useQuery(modelsQuery(org));
  const edited = useOpenRows();
  const why = findRefusal(actions, 'putModelPrices');
  return (
    <Section id="models" title="Models and prices" note="US dollars for a million tokens">
      {isPending && <Skeleton rows={3} />}
      {error && (
        <>
          <ProblemNotice error={error} />
          <div className={forms['foot']}>
            <Button onClick={() => void refetch()}>Ask the provider again</Button>
          </div>
        </>
      )}
      {data && (
        <table className={table['tbl']}>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Price</th>
              <th scope="col" className={table['n']}>
                Input
              </th>
              <th scope="col" className={table['n']}>
                Cached
              </th>
              <th scope="col" className={table['n']}>
                Output
              </th>
              <td />
            </tr>
          </thead>
          <tbody>
            {data.items.map((item) => (
              <tr key={item.model}>
                <th scope="row">
                  {item.model}
                  {item.isDefault && <span className="dim small"> default</span>}
                </th>
                <td data-l="Price">
                  {item.price ? (item.price.source === 'org' ? 'Set by the org' : 'Built in') : 'Not known'}
                </td>
                <td data-l="Input" className={table['n']}>
                  {item.price?.inputPerMillion}
                </td>
                <td data-l="Cached" className={table['n']}>
                  {item.price?.cachedInputPerMillion}
                </td>
                <td data-l="Output" className={table['n']}>
                  {item.price?.outputPerMillion}
                </td>
                <td className="right">
                  <Button
                    small
                    why={why}
                    aria-label={`Set price of ${item.model}`}
                    onClick={() => edited.open(item.model)}
                  >
                    Set price
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data?.items
        .filter(({ model }) => edited.names.includes(model))
        .map((item) => (
          <PriceForm key={item.model} org={org} item={item} onDone={() => edited.close(item.model)} />
        ))}
    </Section>
  );
}

function PriceForm({ org, item: { model, price: before }, onDone }: { org: string; item: Model; onDone: () => void }) {
  const [price, setPrice] = useState<Partial<Price>>(before ?? {});
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: async (body: NonNullable<RequestOptions<'put', '/v1/orgs/{org}/models/prices'>['body']>) =>
      await request('put', '/v1/orgs/{org}/models/prices', { params: { org }, body }),
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: ['models', org] }),
  });
  // A form that was closed and opened again stays open.
  const send = (body: Parameters<typeof save.mutate>[0]): void => save.mutate(body, { onSuccess: onDone });
  const submit = (): void => {
    const { inputPerMillion = 0, outputPerMillion = 0, cachedInputPerMillion: cached } = price;
    const cachedPrice = cached !== undefined && { cachedInputPerMillion: cached };
    send({ prices: [{ model, inputPerMillion, outputPerMillion, ...cachedPrice, currency: 'USD' }] });
  };
  return (
    <Form
      label={`Price of ${model}`}
      error={save.error}
      isOpened
      onSubmit={() => save.isPending || submit()}
      foot={
        <>
          <Button look="primary" type="submit" busy={save.isPending}>
            Save the price
          </Button>
          {before?.source === 'org' && (
            <Button onClick={() => send({ prices: [], unset: [model] })}>Use the built-in price</Button>
          )}
          <Button look="plain" onClick={onDone}>
            Cancel
          </Button>
        </>
      }
    >
      <TextField label="Model" pointer="/prices/0/model" value={model} onChange={() => {}} readOnly />
      <div className={forms['side']}>
        {(['inputPerMillion', 'cachedInputPerMillion', 'outputPerMillion'] as const).map((name) => (
          <NumberField
            key={name}
            label={
              { inputPerMillion: 'Input', cachedInputPerMillion: 'Cached input', outputPerMillion: 'Output' }[name]
            }
            pointer={`/prices/0/${name}`}
            min={0}
            step="any"
            required={name !== 'cachedInputPerMillion'}
            value={price[name]}
            onChange={(value) => {
              const { [name]: _old, ...rest } = price;
              setPrice(value === undefined ? rest : { ...rest, [name]: value });
            }}
          />
        ))}
      </div>
    </Form>
  );
}
