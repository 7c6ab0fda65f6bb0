import { useQuery } from '@tanstack/react-query';
import { registriesQuery } from '../../api/queries/registries.ts';
import { ChoiceField } from '../../parts/form-fields.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';

const installation = 'The registry of the installation';

/** Chooses where builds push the images of a Product. A person who may not read the registries sees the chosen one. */
export function RegistryField({
  org,
  value,
  saved,
  canChange,
  onChange,
}: {
  org: string;
  value: string;
  saved: string;
  canChange: boolean;
  onChange: (name: string) => void;
}) {
  const { data, error } = useQuery({ ...registriesQuery(org), enabled: canChange });
  const registries = data?.items ?? [];
  // A registry that is gone stays an option until another one is chosen, because the API names it as the error.
  const others = [...new Set([saved, value])].filter((name) => registries.every((registry) => registry.name !== name));
  return (
    <>
      <ChoiceField
        label="Registry"
        hint={
          value === saved
            ? 'Its account needs the right to push. Registries are connected in the settings of the org.'
            : `Was: ${saved === '' ? installation : saved}`
        }
        pointer="/spec/delivery/registry"
        value={value}
        options={[
          ['', installation],
          ...registries.map(({ name, host, repositoryPrefix }): [string, string] => [
            name,
            `${name}, ${[host, repositoryPrefix].filter(Boolean).join('/')}`,
          ]),
          ...others.filter((name) => name !== '').map((name): [string, string] => [name, name]),
        ]}
        onChange={onChange}
      />
      {error && <ProblemNotice error={error} />}
    </>
  );
}
