import { useQuery } from '@tanstack/react-query';
import { productsQuery } from '../api/queries/products.ts';
import { Select } from './select.tsx';

type Props = { org: string; value: string | undefined; onChange: (product: string) => void };

/** Narrows a list to one Product; an org with a single Product has nothing to choose, unless its list is narrowed. */
export function ProductSelect({ org, value = '', onChange }: Props) {
  const { data: products } = useQuery(productsQuery(org));
  if (!products || (products.items.length < 2 && value === '')) return null;
  const options = products.items.map(({ name }): [string, string] => [name, name]);
  return <Select label="Product" value={value} options={[['', 'All Products'], ...options]} onChange={onChange} />;
}
