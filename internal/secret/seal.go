package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"sync"
)

// keys has a random key of this process for the cipher, and one for the initialization vectors.
var keys = sync.OnceValue(func() (k struct{ cipher, mac [32]byte }) {
	_, _ = rand.Read(k.cipher[:]) // never fails
	_, _ = rand.Read(k.mac[:])
	return k
})

// seal encrypts text. The same text has the same result within a process, so that reflect.DeepEqual compares secrets.
func seal(text string) []byte {
	key := keys().mac
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte(text))
	iv := mac.Sum(nil)[:aes.BlockSize]
	return append(iv, xor(iv, []byte(text))...)
}

// unseal is the inverse of seal.
func unseal(sealed []byte) string {
	return string(xor(sealed[:aes.BlockSize], sealed[aes.BlockSize:]))
}

// xor encrypts or decrypts text.
func xor(iv, text []byte) []byte {
	key := keys().cipher
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the length of the key is constant
	}
	result := make([]byte, len(text))
	cipher.NewCTR(block, iv).XORKeyStream(result, text)
	return result
}
