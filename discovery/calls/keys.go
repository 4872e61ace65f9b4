package calls

import (
	"bytes"
	"errors"
)

var errTwice = errors.New("a key must not be there twice")

// keys are those of an object. Of a key that is there twice readers take one value or the other, and could count different amounts.
type keys struct {
	all [][]byte
	// seen has a bit of each key. Most keys have one of their own, and are compared with no other.
	seen uint64
}

func (k *keys) reset() { *k = keys{all: k.all[:0]} }

// add adds a key. The error is errTwice if it is there.
func (k *keys) add(key []byte) error {
	n := len(key)
	if n > 0 {
		n += 3*int(key[0]) + 5*int(key[len(key)-1])
	}
	bit := uint64(1) << (n % 64)
	if k.seen&bit != 0 {
		for _, other := range k.all {
			if bytes.Equal(key, other) {
				return errTwice
			}
		}
	}
	k.seen |= bit
	k.all = append(k.all, key)
	return nil
}
