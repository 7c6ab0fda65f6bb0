import { useEffect, useRef, useState, type ComponentProps } from 'react';
import field from './field.module.css';

/**
 * A search whose words the URL holds. What is typed shows at once; another view of the page brings back its own words.
 * With `isFurther`, the words change an earlier search, so that they make no further step of the history.
 */
export function SearchInput({
  words,
  onSearch,
  className = '',
  ...props
}: { words: string; onSearch: (words: string, isFurther: boolean) => void } & Omit<
  ComponentProps<'input'>,
  'value' | 'onChange'
>) {
  const [text, setText] = useState(words);
  // The URL follows what is typed with a delay, so that it still tells earlier words.
  const typed = useRef<string[]>([]);
  useEffect(() => {
    if (typed.current.slice(0, -1).includes(words)) return;
    typed.current = [];
    setText(words);
  }, [words]);
  return (
    <input
      type="search"
      className={`${field['input']} ${className}`}
      {...props}
      value={text}
      onChange={({ target: { value } }) => {
        typed.current.push(value);
        setText(value);
        onSearch(value, text !== '');
      }}
    />
  );
}
