import { useNavigate } from '@tanstack/react-router';
import field from '../../parts/field.module.css';
import { origins, type Origin } from './route.ts';

const texts: Record<Origin, [title: string, hint: string]> = {
  template: ['A template', 'A small app that builds and runs at once. Change it from there.'],
  archive: ['A ZIP archive', 'The files of an app that you have, without a repo.'],
  repo: ['A repo that exists', 'The code is at the code host already.'],
};

/** Lets a person choose the beginning of a Product. The choice is in the URL, so that it can be linked to. */
export function OriginChoice({ org, from }: { org: string; from: Origin }) {
  const navigate = useNavigate();
  return (
    <fieldset>
      <legend>Begin with</legend>
      {origins.map((origin) => (
        <div key={origin} className={field['opt']}>
          <input
            type="radio"
            name="from"
            id={`from-${origin}`}
            checked={origin === from}
            aria-describedby={`from-${origin}-hint`}
            onChange={() => void navigate({ to: '/$org/products/new', params: { org }, search: { from: origin } })}
          />
          <label htmlFor={`from-${origin}`}>
            {texts[origin][0]}
            <span id={`from-${origin}-hint`}>{texts[origin][1]}</span>
          </label>
        </div>
      ))}
    </fieldset>
  );
}
